"""Pictures and texts in the shape each consumer wants, read by the consumers themselves."""

import base64
import copy
import importlib
import io
import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from PIL import Image
from playable import CHAT_FORMS

from gem_ma.chat import image_tokens
from gem_ma.chat import messages as shapes
from gem_ma.chat.messages import Picture
from gem_ma.chat.reply import Reply

NO_HF = "pip install 'gem-ma[hf]'"
NO_DATASETS = "pip install 'gem-ma[datasets]'"
TRAP = "A page says <image>, [IMG] and <|image_pad|>."
SAFE = "A page says <image >, [IMG ] and <|image_pad| >."


def noise(width, height, seed=0):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


FIRST = Picture(noise(252, 252), "an empty board")
SECOND = Picture(noise(84, 140, 1), "x in the middle")


def conversation():
    return [
        {"role": "system", "content": "You play."},
        {"role": "user", "content": [FIRST, TRAP]},
        {"role": "assistant", "content": "middle"},
        {"role": "user", "content": ["Now: ", SECOND, "", "Your move.", "Think."]},
    ]


def with_tools():
    call = {"id": "c1", "function": {"name": "look", "arguments": '{"where": "<image>"}'}}
    return [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": ["Seen:", FIRST]},
        {"role": "user", "content": "And?"},
    ]


def decoded(data):
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(data.rpartition(",")[2]))))


def same(left, right):
    return np.array_equal(np.asarray(left), np.asarray(right))


def test_importing_loads_no_consumer():
    code = (
        "import sys, gem_ma.chat.messages\n"
        "heavy = {'PIL', 'torch', 'transformers', 'datasets', 'trl', 'vllm'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"


def test_a_picture_is_its_pixels_words_and_key():
    array = noise(6, 4)
    picture = Picture(array, "noise")
    assert (picture.width, picture.height, picture.alt) == (6, 4, "noise")
    assert picture.array is array
    assert repr(picture) == "Picture(6x4, 'noise')"
    with pytest.raises(ValueError, match="read-only"):
        array[0, 0, 0] = 1
    for name in ("array", "alt", "key", "png", "other"):
        with pytest.raises(AttributeError):
            setattr(picture, name, None)
    assert same(picture.to_pil(), array)
    assert same(decoded(picture.data_uri), array)
    assert picture.data_uri.startswith("data:image/png;base64,iVBOR")
    assert picture.png is picture.png
    picture.to_pil().putpixel((0, 0), (1, 2, 3))
    assert same(picture.to_pil(), array)


def test_equal_keys_are_equal_pictures():
    array = noise(6, 4)
    assert Picture.from_array(array) == Picture.from_array(array, "other words")
    assert len({Picture.from_array(array), Picture.from_array(array)}) == 1
    assert Picture.from_array(array) != Picture.from_array(array.reshape(6, 4, 3))
    assert Picture(array, key="state 1") == Picture(noise(6, 4, 9), key="state 1")
    assert Picture(array) != array.tobytes()
    assert len(Picture(array).key) == 32
    assert Picture(array, png=b"made elsewhere").png == b"made elsewhere"


def test_from_array_copies_and_takes_gray():
    array = noise(6, 4)
    picture = Picture.from_array(array)
    before = array.copy()
    array[:] = 0
    assert same(picture.array, before)
    assert same(Picture.from_array(before[::-1]).array, before[::-1])
    assert Picture(before[::-1]).array.flags.c_contiguous
    for gray in (before[:, :, 0], before[:, :, :1]):
        assert same(Picture.from_array(gray).array[:, :, 2], before[:, :, 0])
    for wrong in (before / 255, np.zeros((4, 6, 4), np.uint8), np.zeros((0, 6, 3), np.uint8)):
        with pytest.raises(ValueError, match=r"uint8 array of shape \(height, width, 3\)"):
            Picture.from_array(wrong)


def test_a_picture_travels_small():
    picture = Picture(noise(60, 50)[10:40, 10:40], "noise")
    assert len(picture.png) > 0
    data = pickle.dumps(picture)
    assert len(data) < picture.array.nbytes + 500
    back = pickle.loads(data)
    assert (back, back.alt) == (picture, "noise")
    assert not back.array.flags.writeable
    assert pickle.loads(pickle.dumps(Picture(noise(2, 2), key="mine"))).key == "mine"
    assert copy.deepcopy(conversation())[1]["content"][0] is FIRST
    assert copy.copy(FIRST) is FIRST


def test_content_of_an_observation_is_the_picture_then_the_text():
    array = noise(6, 4)
    picture, text = shapes.make_content({"text": "Your move.", "image": array}, alt="noise")
    assert (text, picture.alt, array.flags.writeable) == ("Your move.", "noise", True)
    assert same(picture.array, array)
    assert shapes.make_content({"image": array})[0].alt == ""
    assert shapes.make_content({"image": FIRST}, alt="other")[0] is FIRST
    assert shapes.make_content({"text": "only"}) == ("only",)
    assert shapes.make_content({"text": "", "image": None}) == ()


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        (TRAP, SAFE),
        ("<image >", "<image  >"),
        ("<IMG_CONTEXT></img><img>", "<IMG_CONTEXT ></img ><img >"),
        ("<|vision_start|><|image_1|>", "<|vision_start| ><|image_1| >"),
        ("<|image|><|image><image|>", "<|image| ><|image ><image| >"),
        ("<start_of_image><image_soft_token>", "<start_of_image ><image_soft_token >"),
        ("<video> [IMG_END] <|begin_of_image|>", "<video > [IMG_END ] <|begin_of_image| >"),
        ("a < image > b <imagery> <img src=x> [image]", None),
    ],
)
def test_placeholders_in_texts_are_escaped_and_come_back(text, safe):
    assert shapes.escape_placeholders(text) == (text if safe is None else safe)
    assert shapes.unescape_placeholders(shapes.escape_placeholders(text)) == text
    assert shapes.unescape_placeholders(
        shapes.escape_placeholders(shapes.escape_placeholders(text))
    ) == shapes.escape_placeholders(text)


def test_openai_chat():
    out = shapes.to_openai_chat(conversation())
    assert [message["role"] for message in out] == ["system", "user", "assistant", "user"]
    assert (out[0]["content"], out[2]["content"]) == ("You play.", "middle")
    image, text = out[1]["content"]
    assert text == {"type": "text", "text": SAFE}
    assert image == {"type": "image_url", "image_url": {"url": FIRST.data_uri, "detail": "auto"}}
    now, image, rest = out[3]["content"]
    assert (now["text"], rest["text"]) == ("Now: ", "Your move.\nThink.")
    assert same(decoded(image["image_url"]["url"]), SECOND.array)
    image = shapes.to_openai_chat([FIRST], detail="low", uuids=True)[0]["content"][0]
    assert (image["image_url"]["detail"], image["uuid"]) == ("low", FIRST.key)
    json.dumps(out)


def test_openai_chat_with_tools_gives_their_pictures_to_the_user():
    _, call, result, user = shapes.to_openai_chat(with_tools())
    assert call["tool_calls"] == [
        {
            "id": "c1",
            "type": "function",
            "function": {"name": "look", "arguments": '{"where": "<image >"}'},
        }
    ]
    assert result["content"] == "Seen:\n[picture: an empty board]"
    assert result["tool_call_id"] == "c1"
    assert [part["type"] for part in user["content"]] == ["image_url", "text"]
    for rest in ([], [{"role": "assistant", "content": "Nice."}]):
        out = shapes.to_openai_chat(with_tools()[:3] + rest)
        assert [part["type"] for part in out[3]["content"]] == ["image_url"]
        assert out[4:] == rest


def test_openai_responses():
    out = shapes.to_openai_responses(conversation())
    assert out[0] == {"role": "system", "content": "You play."}
    assert out[1]["content"] == [
        {"type": "input_image", "image_url": FIRST.data_uri, "detail": "auto"},
        {"type": "input_text", "text": SAFE},
    ]
    _, call, result, _ = shapes.to_openai_responses(with_tools())
    assert call == {
        "type": "function_call",
        "call_id": "c1",
        "name": "look",
        "arguments": '{"where": "<image >"}',
    }
    assert (result["type"], result["call_id"]) == ("function_call_output", "c1")
    assert [part["type"] for part in result["output"]] == ["input_text", "input_image"]


def test_anthropic():
    system, out = shapes.to_anthropic(conversation())
    assert system == "You play."
    assert [message["role"] for message in out] == ["user", "assistant", "user"]
    image, text = out[0]["content"]
    assert text == {"type": "text", "text": TRAP}
    assert (image["type"], image["source"]["media_type"]) == ("image", "image/png")
    assert same(decoded(image["source"]["data"]), FIRST.array)
    assert out[1]["content"] == [{"type": "text", "text": "middle"}]
    _, (_, call, user) = shapes.to_anthropic(with_tools())
    assert call["content"] == [
        {"type": "tool_use", "id": "c1", "name": "look", "input": {"where": "<image>"}}
    ]
    result, text = user["content"]
    assert (result["type"], result["tool_use_id"]) == ("tool_result", "c1")
    assert [part["type"] for part in result["content"]] == ["text", "image"]
    assert text["text"] == "And?"


def test_gemini():
    system, out = shapes.to_gemini(conversation())
    assert system == "You play."
    assert [content["role"] for content in out] == ["user", "model", "user"]
    image, text = out[0]["parts"]
    assert text == {"text": TRAP}
    assert image["inlineData"]["mimeType"] == "image/png"
    assert same(decoded(image["inlineData"]["data"]), FIRST.array)
    assert out[1]["parts"] == [{"text": "middle"}]
    json.dumps(out)
    _, (_, call, user) = shapes.to_gemini(with_tools())
    made = {"id": "c1", "name": "look", "args": {"where": "<image>"}}
    assert call["parts"] == [{"functionCall": made}]
    result, picture, text = user["parts"]
    seen = {"output": "Seen:\n[picture: an empty board]"}
    assert result == {"functionResponse": {"id": "c1", "name": "look", "response": seen}}
    assert list(picture) == ["inlineData"]
    assert text == {"text": "And?"}


def test_pictures_of_several_tools_follow_all_results_for_gemini():
    calls = [{"id": one, "name": "look", "arguments": "{}"} for one in "ab"]
    chat = [{"role": "user", "content": "?"}]
    chat.append({"role": "assistant", "content": "", "tool_calls": calls})
    chat += [{"role": "tool", "tool_call_id": one, "content": [FIRST]} for one in "ab"]
    _, (_, _, user) = shapes.to_gemini(chat)
    kinds = [kind for part in user["parts"] for kind in part]
    assert kinds == ["functionResponse"] * 2 + ["inlineData"] * 2
    assert [part["functionResponse"]["id"] for part in user["parts"][:2]] == ["a", "b"]


def test_each_provider_gets_back_what_it_thought_and_no_other_does():
    signed = {"type": "thinking", "thinking": "a", "signature": "s"}
    hidden = {"type": "redacted_thinking", "data": "d"}
    sealed = {"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "e"}
    others = [{"type": "thinking", "thinking": "unsigned"}, {"thought": True, "text": "b"}]
    reply = Reply("middle", thinking_blocks=[signed, hidden, sealed, *others])
    message = {"role": "assistant", "content": reply, "thinking_blocks": reply.thinking_blocks}
    _, out = shapes.to_anthropic([message])
    assert out[0]["content"] == [signed, hidden, {"type": "text", "text": "middle"}]
    assert shapes.to_anthropic([{**message, "content": ""}]) == ("", [])  # nothing follows it
    assert shapes.to_openai_responses([message]) == [
        sealed,
        {"role": "assistant", "content": "middle"},
    ]
    plain = [{"role": "assistant", "content": "middle"}]
    for shape in (shapes.to_openai_chat, shapes.to_hf):
        assert shape([message]) == plain
    assert shapes.to_gemini([message])[1] == [{"role": "model", "parts": [{"text": "middle"}]}]


def test_google_gets_back_the_signature_of_a_call():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    for extra, signature in (
        ({"google": {"thought_signature": "s"}}, {"thoughtSignature": "s"}),
        ({"google": {"thought_signature": 5}}, {}),
        ({"google": None}, {}),
        ("s", {}),
    ):
        message = {"role": "assistant", "tool_calls": [call | {"extra_content": extra}]}
        _, (content,) = shapes.to_gemini([message])
        (part,) = content["parts"]
        assert part == {"functionCall": {"id": "c", "name": "f", "args": {}}} | signature


def test_hf():
    out = shapes.to_hf(conversation())
    assert out[0] == {"role": "system", "content": "You play."}
    assert [part["type"] for part in out[1]["content"]] == ["image", "text"]
    assert same(out[1]["content"][0]["image"], FIRST.array)
    assert out[1]["content"][1]["text"] == SAFE
    call = shapes.to_hf(with_tools())[1]["tool_calls"][0]
    assert call["function"] == {"name": "look", "arguments": {"where": "<image >"}}


def test_trl_row():
    row = shapes.to_trl_row(conversation())
    assert row["prompt"][1]["content"] == [{"type": "image"}, {"type": "text", "text": SAFE}]
    assert row["prompt"][0]["content"] == [{"type": "text", "text": "You play."}]
    assert [image.size for image in row["images"]] == [(252, 252), (84, 140)]
    assert shapes.to_trl_row("hello")["images"] == []


def test_verl_row_has_as_many_placeholders_as_pictures():
    row = shapes.to_verl_row(conversation())
    assert row["prompt"][1] == {"role": "user", "content": f"<image>{SAFE}"}
    assert row["prompt"][3]["content"] == "Now: <image>Your move.\nThink."
    assert [image["bytes"] for image in row["images"]] == [FIRST.png, SECOND.png]
    rng = np.random.default_rng(0)
    pieces = ["<ima", "ge>", "<", "image", ">", " ", "<image>", "<video>", FIRST, SECOND, "\n"]
    for _ in range(500):
        parts = [pieces[i] for i in rng.integers(0, len(pieces), 8)]
        row = shapes.to_verl_row(parts)
        text = row["prompt"][0]["content"]
        assert (
            text.count("<image>") == len(row["images"]) == sum(p in (FIRST, SECOND) for p in parts)
        )
        assert "<video>" not in text


def test_vllm():
    out = shapes.to_vllm("rendered", conversation())
    assert out["prompt"] == "rendered"
    assert [image.size for image in out["multi_modal_data"]["image"]] == [(252, 252), (84, 140)]
    assert out["multi_modal_uuids"] == {"image": [FIRST.key, SECOND.key]}
    assert shapes.to_vllm((1, 2), "no picture") == {"prompt_token_ids": [1, 2]}


def test_mcp():
    text, image = shapes.to_mcp([TRAP, FIRST])
    assert text == {"type": "text", "text": TRAP}
    assert (image["type"], image["mimeType"]) == ("image", "image/png")
    assert same(decoded(image["data"]), FIRST.array)
    assert shapes.to_mcp("yes") == [{"type": "text", "text": "yes"}]


def test_bare_content_is_a_message_of_the_user():
    for bare in (FIRST, [FIRST], (FIRST,)):
        assert shapes.to_openai_chat(bare) == shapes.to_openai_chat(
            [{"role": "user", "content": bare}]
        )
    assert shapes.to_hf("hello") == [{"role": "user", "content": "hello"}]
    assert shapes.to_hf([]) == []


def test_every_shape_leaves_the_conversation_as_it_is():
    for make in (conversation, with_tools):
        before = make()
        assert len(CHAT_FORMS) >= 7
        for shape in CHAT_FORMS:
            shape(before)
            assert before == make()


def test_a_reply_becomes_a_plain_text():
    out = shapes.to_hf([{"role": "assistant", "content": Reply("middle"), "name": "x"}])
    assert out == [{"role": "assistant", "content": "middle", "name": "x"}]
    assert type(out[0]["content"]) is str


@pytest.mark.parametrize(("given", "read"), [("{", "{"), ("[1]", [1])])
def test_arguments_that_are_no_object_become_one(given, read):
    call = {"id": "c", "name": "f", "arguments": given}
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    _, out = shapes.to_anthropic([message])
    assert out[0]["content"][0]["input"] == {"arguments": read}


def test_wrong_conversations_are_refused():
    for wrong, error in [
        ([{"role": "player", "content": ""}], "role must be one of system, user, assistant, tool"),
        ([{"content": ""}], ", got None"),
    ]:
        with pytest.raises(ValueError, match=error):
            shapes.to_hf(wrong)
    for wrong, error in [
        ([{"role": "user", "content": [{"type": "image"}]}], "str and Picture, got dict"),
        ([1], "a message must be a mapping, got int"),
    ]:
        with pytest.raises(TypeError, match=error):
            shapes.to_hf(wrong)
    for role in ("system", "assistant"):
        for shape in (
            *(shapes.to_openai_chat, shapes.to_openai_responses),
            *(shapes.to_anthropic, shapes.to_gemini),
        ):
            with pytest.raises(ValueError, match=f"role '{role}' cannot hold a picture"):
                shape([{"role": role, "content": [FIRST]}])
        assert shapes.to_hf([{"role": role, "content": [FIRST]}])


def test_keep_images():
    before = conversation()
    one = shapes.keep_images(before, 1)
    assert one[1]["content"] == ("[picture: an empty board]", TRAP)
    assert one[0] is before[0]
    assert one[3] is before[3]
    assert before == conversation()
    assert shapes.keep_images(before, 2) == shapes.keep_images(before) == before
    assert shapes.list_pictures(shapes.keep_images(before, 0)) == []
    assert shapes.list_pictures(before) == [FIRST, SECOND]
    assert shapes.describe_picture(Picture(noise(2, 2))) == "[picture]"
    with pytest.raises(ValueError, match="last=-1: expected 0 or more"):
        shapes.keep_images(before, -1)


def test_keep_images_sends_equal_pictures_once():
    again = Picture.from_array(FIRST.array, "the same")
    long = [*conversation(), {"role": "user", "content": again}]
    assert shapes.list_pictures(shapes.keep_images(long, 2)) == [SECOND, again]
    once = shapes.keep_images(long, dedup=True)
    assert [p.alt for p in shapes.list_pictures(once)] == ["x in the middle", "the same"]
    assert once[1]["content"][0] == "[picture: an empty board]"
    twice = [*long, {"role": "user", "content": [again]}]
    kept = shapes.list_pictures(shapes.keep_images(twice, 2, dedup=True))
    assert kept == [SECOND, again]  # the equal ones count once


@pytest.fixture(scope="module")
def processor():
    pytest.importorskip("transformers", reason=NO_HF)
    pytest.importorskip("torch", reason=NO_HF)
    return importlib.import_module("tiny_models").vlm_processor()


def read(processor, chat):
    return processor.apply_chat_template(
        chat,
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )


def test_transformers_reads_every_shape_alike(processor):
    import torch

    seen = read(processor, shapes.to_hf(conversation()))
    pads = int((seen["input_ids"] == processor.image_token_id).sum())
    assert pads == 81 + 15
    assert pads == sum(
        image_tokens.count_image_tokens(p.width, p.height, "qwen2-vl")
        for p in shapes.list_pictures(conversation())
    )
    assert SAFE in processor.decode(seen["input_ids"][0])
    row = shapes.to_trl_row(conversation())
    images = iter(row["images"])
    for message in row["prompt"]:
        for part in message["content"]:
            if part["type"] == "image":
                part["image"] = next(images)
    chat = shapes.to_openai_chat(conversation(), uuids=True)
    for other in (chat, shapes.to_openai_chat(conversation(), detail="high"), row["prompt"]):
        again = read(processor, other)
        assert torch.equal(again["input_ids"], seen["input_ids"])
        assert torch.equal(again["pixel_values"], seen["pixel_values"])
        assert torch.equal(again["image_grid_thw"], seen["image_grid_thw"])
    prompt = processor.apply_chat_template(shapes.to_hf(conversation()), add_generation_prompt=True)
    offline = shapes.to_vllm(prompt, conversation())
    again = processor(
        images=offline["multi_modal_data"]["image"], text=[offline["prompt"]], return_tensors="pt"
    )
    assert torch.equal(again["input_ids"], seen["input_ids"])
    assert torch.equal(again["pixel_values"], seen["pixel_values"])


def test_a_text_is_never_a_picture_to_transformers(processor):
    told = [{"role": "user", "content": [TRAP, FIRST, TRAP]}]
    seen = read(processor, shapes.to_hf(told))
    assert int((seen["input_ids"] == processor.image_token_id).sum()) == 81
    assert "pixel_values" not in read(processor, shapes.to_hf(TRAP))
    raw = [{"role": "user", "content": [{"type": "text", "text": TRAP}]}]
    with pytest.raises(ValueError, match=r"Found 1 <\|image_pad\|> tokens in the text"):
        read(processor, raw)  # what a text as it is would do


def test_a_tiny_model_answers_to_a_picture(processor):
    import torch

    model = importlib.import_module("tiny_models").vlm(processor)
    with torch.inference_mode():
        logits = [
            model(**read(processor, shapes.to_hf([p, "What?"]))).logits[0, -1]
            for p in (FIRST, FIRST, Picture(noise(252, 252, 5)))
        ]
    assert torch.equal(logits[0], logits[1])
    assert not torch.equal(logits[0], logits[2])


def test_qwen_sizes_are_those_of_the_real_processor(processor):
    real = processor.image_processor
    rng = np.random.default_rng(0)
    for width, height in rng.integers(1, 400, (60, 2)).tolist():
        grid = real(Image.new("RGB", (width, height)), return_tensors="np")["image_grid_thw"]
        tokens = int(grid.prod()) // 4
        assert image_tokens.count_image_tokens(width, height, "qwen2-vl") == tokens, (width, height)
    from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

    limits = {"qwen2-vl": (28, 3136, 1003520), "qwen3-vl": (32, 65536, 16777216)}
    for width, height in rng.integers(1, 6000, (3000, 2)).tolist():
        for family, (unit, least, most) in limits.items():
            if max(width, height) <= 200 * min(width, height):
                down, across = smart_resize(height, width, unit, least, most)
                assert image_tokens.snap_image_size(width, height, family) == (across, down)


def test_internvl_tiles_are_those_of_the_real_processor(processor):
    module = "transformers.models.got_ocr2.image_processing_pil_got_ocr2"
    real = importlib.import_module(module).GotOcr2ImageProcessorPil(
        size={"height": 448, "width": 448}, crop_to_patches=True
    )
    for width, height in np.random.default_rng(0).integers(1, 3000, (1000, 2)).tolist():
        tiles = real.get_number_of_image_patches(height, width)
        assert image_tokens.count_image_tokens(width, height, "internvl") == 256 * tiles


def test_a_frame_of_whole_units_is_not_resampled(processor):
    real = processor.image_processor

    def seen(image):
        return real(image, return_tensors="np", do_rescale=False, do_normalize=False)

    def pixels(patches, side):  # rows of merged patches back to the picture
        cells = patches["pixel_values"].reshape(side // 28, side // 28, 2, 2, 3, 2, 14, 14)
        first = cells[:, :, :, :, :, 0].transpose(0, 2, 5, 1, 3, 6, 4)
        return first.reshape(side, side, 3)

    assert same(pixels(seen(FIRST.to_pil()), 252), FIRST.array)
    assert image_tokens.snap_image_size(252, 252, "qwen2-vl") == (252, 252)
    bigger = Picture(noise(256, 256))
    assert seen(bigger.to_pil())["image_grid_thw"].tolist() == [[1, 18, 18]]


def test_trl_fills_the_pictures_in():
    utils = pytest.importorskip("trl.data_utils", reason="pip install trl")
    for make, count in ((conversation, 2), (with_tools, 1)):
        row = shapes.to_trl_row(make())
        filled = utils.prepare_multimodal_messages(row["prompt"], images=row["images"])
        images = [p["image"] for m in filled for p in m["content"] if p["type"] == "image"]
        assert len(images) == count
        for image, picture in zip(images, shapes.list_pictures(make()), strict=True):
            assert same(image, picture.array)


def test_rows_survive_a_data_set(tmp_path):
    datasets = pytest.importorskip("datasets", reason=NO_DATASETS)
    for shape, rows in (
        ("trl", [shapes.to_trl_row(conversation()), shapes.to_trl_row("no picture")]),
        ("verl", [shapes.to_verl_row(conversation()), shapes.to_verl_row("no picture")]),
    ):
        made = datasets.Dataset.from_list(rows, features=shapes.make_dataset_features(shape))
        made.to_parquet(tmp_path / f"{shape}.parquet")
        back = datasets.Dataset.from_parquet(
            str(tmp_path / f"{shape}.parquet"), cache_dir=str(tmp_path / "cache")
        )
        assert back.features == made.features
        images = back[0]["images"]
        assert [same(i, p.array) for i, p in zip(images, (FIRST, SECOND), strict=True)] == [
            True
        ] * 2
        assert back[1]["images"] == []
        if shape == "verl":
            assert back[0]["prompt"] == rows[0]["prompt"]
        else:
            kinds = [part["type"] for part in back[0]["prompt"][1]["content"]]
            assert kinds == ["image", "text"]
    with pytest.raises(ValueError, match="shape='csv': expected 'trl' or 'verl'"):
        shapes.make_dataset_features("csv")


def test_without_datasets_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(ImportError, match=r"pip install 'gem-ma\[datasets\]'"):
        shapes.make_dataset_features()
