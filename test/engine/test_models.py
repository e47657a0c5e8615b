"""Models on the interpreter give the logits that transformers computes, however tokens are put into steps."""

# What transformers has is of no types here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

import freehold as fh
from freehold.engine import Config, ModelError, demo
from freehold.engine.batch import Batch, Inputs, Memory, Shape, Share, all_rows
from freehold.engine.layers import most_split
from freehold.engine.model import Model
from freehold.engine.weights import Checkpoint
from freehold.kernels.tilings import tiling

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "tie_word_embeddings": False,
    "rope_theta": 500000.0,
    "rope_scaling": {
        "rope_type": "llama3",
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 64,
    },
}
MOE = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "model_type": "qwen3_moe",
    "num_experts": 6,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 24,
    "norm_topk_prob": True,
    "decoder_sparse_step": 1,
    "mlp_only_layers": [],
}
MODELS: dict[str, dict[str, Any]] = {
    "Qwen3": {},
    "Qwen3, six heads on two": {"num_attention_heads": 6, "tie_word_embeddings": False},
    "Qwen3, experts": MOE,
    "Llama": LLAMA,
}
"""What differs from `demo.SETTINGS`."""


def stepped(model: Model, shares: list[Share], room: int, rows: int = 0, alone: int = 0) -> Any:
    """The logits behind each share, from one step with room for `rows` sequences, in which so many are `alone`."""
    tokens, longest = sum(len(s.ids) for s in shares), max(len(s.ids) for s in shares)
    count = max(len(shares), 4 if longest == 1 else rows)
    shape = Shape(max(tokens, count) if longest == 1 else tokens + 3, count, longest)
    memory = Memory(shape, 4, model.page, fh.HOST)
    inputs, batch = Inputs(shape, 4, model.page, room), Batch(shape, memory, memory.chosen)
    inputs.fill(shares)
    assert inputs.alone == alone
    batch.send(inputs.numbers, inputs.alone)
    batch.load().sync()
    for op in model.forward(batch):
        op.on()
    return model.logits(len(shares)).numpy()


@pytest.mark.parametrize("longest", [1, 2])
def test_all_layers_see_what_they_share_as_the_first_one_made_it(longest: int, tmp_path: Path) -> None:
    """Each view takes the host as long as a launch: a layer looks at what is its own alone."""
    model = Model(demo.make(tmp_path, num_hidden_layers=3), Config.read(tmp_path), fh.HOST, 48, 8, 16)
    model.allocate(8)
    shape = Shape(4, 4, 1) if longest == 1 else Shape(48, 8, 2)
    memory, seen = Memory(shape, 4, model.page, fh.HOST), list[Any]()
    batch = Batch(shape, memory, memory.chosen)
    batch.alone = 4

    def counted(tensor: Any, at: Any) -> Any:
        seen.append(at)
        return indexed(tensor, at)

    indexed = fh.Tensor.__getitem__
    with patch.object(fh.Tensor, "__getitem__", counted):
        counts: list[int] = []
        for layers in (1, 2, 3):
            seen.clear()
            for op in model.forward(batch, layers):
                op.prepare()
            counts.append(len(seen))
    assert counts[2] - counts[1] == counts[1] - counts[0] <= 24, counts


@pytest.mark.parametrize("name", MODELS)
def test_logits_are_those_of_transformers(name: str, tmp_path: Path, transformers: Any) -> None:
    torch = pytest.importorskip("torch")
    folder = demo.make(tmp_path, **MODELS[name])
    theirs = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    model = Model(folder, Config.read(folder), fh.HOST, 48, 4, 16)
    model.allocate(8)
    a, b = (np.random.default_rng(n).integers(0, 384, 40 - 17 * n).tolist() for n in range(2))

    def wanted(tokens: list[int]) -> Any:
        with torch.no_grad():
            return theirs(torch.tensor([tokens])).logits[0, -1].double().numpy()

    prefill = stepped(model, [Share(a[:33], 0, [5, 2, 7])], 128)[0]
    mixed = stepped(model, [Share(b[:20], 0, [1, 0]), Share(a[33:38], 33, [5, 2, 7])], 128)
    decode = stepped(model, [Share(a[38:39], 38, [5, 2, 7]), Share(b[20:21], 20, [1, 0])], 128)
    pairs = [(prefill, a[:33]), (mixed[0], b[:20]), (mixed[1], a[:38]), (decode[0], a[:39]), (decode[1], b[:21])]
    for ours, tokens in pairs:
        np.testing.assert_allclose(ours, wanted(tokens), atol=2e-5, rtol=1e-5)


@pytest.mark.parametrize(("ones", "rows", "alone"), [(5, 0, 4), (5, 9, 8), (4, 0, 4), (3, 0, 0), (3, 9, 4), (1, 16, 4)])
def test_tokens_in_front_attend_in_fours(ones: int, rows: int, alone: int, tmp_path: Path) -> None:
    """
    Some sequences go on by a token, in one step with pieces of prompts, of two tokens but for the last: where there is
    room, these fill up what attends by itself; where there is none, the last ones of one token attend with the pieces.
    """
    folder = demo.make(tmp_path, num_hidden_layers=1)
    model = Model(folder, Config.read(folder), fh.HOST, 64, 16, 16)
    model.allocate(12)
    texts = [np.random.default_rng(n).integers(0, 384, 17 + 3 * n).tolist() for n in range(6)]
    pages = [[2 * n + 1, 2 * n] for n in range(6)]
    begins = [len(text) - (1 if n < ones else 2) for n, text in enumerate(texts[:5])] + [16]
    for text, begin, held in zip(texts, begins, pages, strict=True):
        stepped(model, [Share(text[:begin], 0, held)], 192)
    shares = [Share(text[begin:], begin, held) for text, begin, held in zip(texts, begins, pages, strict=True)]
    together = stepped(model, shares, 192, rows, alone)
    for share, found in zip(shares, together, strict=True):
        np.testing.assert_allclose(found, stepped(model, [share], 192)[0], atol=2e-5)


def test_sharded_files_and_bfloat16(tmp_path: Path) -> None:
    """Two files that an index lists are the model that one file is."""
    safetensors: Any = pytest.importorskip("safetensors.numpy")
    folder = demo.make(tmp_path, num_hidden_layers=1, dtype="bfloat16")
    whole = Model(folder, Config.read(folder), fh.HOST, 16, 2, 16)
    weights = safetensors.load_file(folder / "model.safetensors")
    names = sorted(weights)
    where: dict[str, str] = {}
    for n, part in enumerate((names[::2], names[1::2])):
        safetensors.save_file({k: weights[k] for k in part}, folder / f"model-{n}.safetensors")
        where |= dict.fromkeys(part, f"model-{n}.safetensors")
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": where}), encoding="utf-8")
    parts = Model(folder, Config.read(folder), fh.HOST, 16, 2, 16)
    one, other = ({**vars(m.layers[0]), **vars(m.layers[0].fed)} for m in (whole, parts))
    for name in one.keys() - {"fed"}:
        assert one[name].dtype == fh.bf16
        np.testing.assert_array_equal(one[name].numpy(), other[name].numpy())


def test_files_of_weights_are_those_of_the_folder(tmp_path: Path) -> None:
    """A name in an index that leads elsewhere is refused before it is opened, and one that leads nowhere, too."""
    pytest.importorskip("safetensors")
    folder = tmp_path / "model"
    folder.mkdir()
    for name, told in (
        ("../other.safetensors", "the index names {}, which is not in the model's folder"),
        ("part.safetensors", "there is no {}"),
    ):
        (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"w": name}}), "utf-8")
        with pytest.raises(ModelError, match=f"^{re.escape(told.format(folder / name))}$"):
            Checkpoint(folder, fh.HOST)
    (folder / "part.safetensors").write_bytes(b"nothing")
    with pytest.raises(ModelError, match=r"part\.safetensors cannot be read: "):
        Checkpoint(folder, fh.HOST)


@pytest.mark.parametrize(("piece", "rows"), [(1, 1), (4 * 64 * 3, 3), (1 << 30, 128)])
def test_a_tensor_comes_in_pieces_of_as_many_rows_as_fit(
    piece: int, rows: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """... one row at least, however long it is."""
    safetensors: Any = pytest.importorskip("safetensors.numpy")
    whole = np.arange(128 * 64, dtype=np.float32).reshape(128, 64)
    safetensors.save_file({"w": whole}, tmp_path / "model.safetensors")
    monkeypatch.setattr("freehold.engine.weights.PIECE", piece)
    brought: list[int] = []
    real = Checkpoint._brought  # pyright: ignore[reportPrivateUsage] -- where pieces go by

    def counted(self: Checkpoint, piece: Any, dtype: Any) -> Any:
        brought.append(len(piece))
        return real(self, piece, dtype)

    monkeypatch.setattr(Checkpoint, "_brought", counted)
    with Checkpoint(tmp_path, fh.HOST) as files:
        np.testing.assert_array_equal(files.one("w", (128, 64), fh.f32).numpy(), whole)
    assert brought == [rows] * (128 // rows) + [128 % rows] * (128 % rows > 0)


@pytest.mark.parametrize(("n", "k", "size"), [(512, 8192, 4), (128, 4096, 2), (4096, 64, 2)])
def test_the_room_for_parts_of_products_is_that_of_the_largest(n: int, k: int, size: int) -> None:
    rows = range(1, 40)
    parts = [math.prod((m, n, tiling(m, n, k, size).splits)) for m in rows if tiling(m, n, k, size).splits > 1]
    assert bool(parts) == (k > 64)
    assert most_split(rows, n, k, size) == max(parts, default=1)


def test_weights_of_8_bits_are_what_they_stand_for(tmp_path: Path) -> None:
    """A model that narrows its weights as it loads them is the model that has the narrowed ones as floats."""
    safetensors: Any = pytest.importorskip("safetensors.numpy")
    folder = demo.make(tmp_path / "narrow", num_hidden_layers=1)
    narrow = Model(folder, Config.read(folder), fh.HOST, 48, 4, 16, narrow=True)
    weights = safetensors.load_file(folder / "model.safetensors")
    layer = narrow.layers[0]
    made = {
        ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"): layer.qkv,
        ("self_attn.o_proj",): layer.output,
        ("mlp.gate_proj", "mlp.up_proj"): layer.fed.gate_up,
        ("mlp.down_proj",): layer.fed.down,
    }
    for names, (values, scales) in made.items():
        assert values.dtype == fh.f8e4m3fn
        given = values.numpy().astype(np.float32) * scales.numpy()[:, None]
        for name in names:
            full = f"model.layers.0.{name}.weight"
            mine, given = given[: len(weights[full])], given[len(weights[full]) :]
            assert 0 < abs(mine - weights[full]).max() <= abs(weights[full]).max() / 16
            weights[full] = mine
        assert not len(given)
    demo.make(tmp_path / "floats", num_hidden_layers=1)
    safetensors.save_file(weights, tmp_path / "floats" / "model.safetensors")
    floats = Model(tmp_path / "floats", Config.read(folder), fh.HOST, 48, 4, 16)
    tokens = np.random.default_rng(0).integers(0, 384, 40).tolist()
    found: list[list[Any]] = []
    for model in (narrow, floats):
        model.allocate(8)
        shares = [Share(tokens[:37], 0, [5, 2, 7])], [Share(tokens[37:38], 37, [5, 2, 7])]
        found.append([stepped(model, share, 128) for share in shares])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=2e-5, rtol=1e-5)


def damaged(folder: Path, **changes: Any) -> Path:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps({**config, **changes}), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"architectures": ["GPT2LMHeadModel"]}, "is a GPT2LMHeadModel; known are"),
        ({"hidden_act": "gelu"}, "`hidden_act` = 'gelu'"),
        ({"num_key_value_heads": 3}, "do not fit together"),
        ({"dtype": "int8"}, "weights of int8"),
        ({"rope_scaling": {"rope_type": "yarn"}}, "'yarn'"),
        ({"vocab_size": 385}, "has the shape (384, 64), where the model's is (385, 64)"),
        ({"num_hidden_layers": 3}, "has no tensor model.layers.2.self_attn.q_proj.weight"),
    ],
)
def test_a_folder_that_cannot_be_served_is_refused(tmp_path: Path, changes: dict[str, Any], said: str) -> None:
    folder = damaged(demo.make(tmp_path), **changes)
    with pytest.raises(ModelError) as caught:
        Model(folder, Config.read(folder), fh.HOST, 16, 2, 16)
    assert said in str(caught.value)


@pytest.mark.parametrize("file", ["config.json", "model.safetensors"])
def test_files_that_are_missing_or_damaged_are_named(tmp_path: Path, file: str) -> None:
    folder = demo.make(tmp_path)
    for missing in (False, True):
        (folder / file).unlink() if missing else (folder / file).write_bytes(b"\x07" * 9)
        with pytest.raises(ModelError, match=file):
            Model(folder, Config.read(folder), fh.HOST, 16, 2, 16)


WIDE: dict[str, tuple[tuple[int, int], dict[str, int]]] = {
    "queries, keys and values": ((128, 8192), {"hidden": 8192}),
    "what was attended to": ((512, 8192), {"hidden": 512, "heads": 64, "kv_heads": 1, "head": 128}),
    "gates": ((1024, 8192), {"hidden": 8192, "feed": 512}),
    "what is fed": ((512, 8192), {"hidden": 512, "feed": 8192}),
    "experts": ((512, 8192), {"hidden": 8192, "experts": 512, "chosen": 2, "expert_feed": 16}),
    "tokens": ((1024, 8192), {"hidden": 8192, "vocabulary": 1024}),
}


@pytest.mark.parametrize("name", WIDE)
def test_parts_have_room_of_whichever_product_takes_most(name: str) -> None:
    (n, k), given = WIDE[name]
    sizes: dict[str, Any] = {"hidden": 64, "feed": 16, "heads": 4, "kv_heads": 2, "head": 16, "vocabulary": 16, **given}
    constants: dict[str, Any] = {"eps": 1e-6, "frequencies": (), "tied": True, "ends": frozenset()}
    model = Model.__new__(Model)
    model.config = Config("LlamaForCausalLM", layers=1, positions=64, dtype=fh.bf16, **constants, **sizes)
    model.device, model.tokens, model.sequences, model.page = fh.HOST, 48, 4, 16
    room = vars(Model)["_reserved"](model)
    found = vars(room)["_made"]["splits"].shape
    assert found == (most_split(all_rows(48, 4), n, k, 2),)
    assert found > (1,)
