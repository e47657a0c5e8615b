"""The prover: whether a goal follows from hypotheses over the integers. Proved, refuted with a witness, or unknown."""
