"""The prover: does a goal follow from hypotheses, over mathematical integers? Proved, refuted with a witness, or unknown."""
