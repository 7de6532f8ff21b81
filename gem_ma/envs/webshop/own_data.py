"""WebShop's own files: products, attributes and instructions, where the user has them."""

from __future__ import annotations

import functools
import itertools
import json
import os
import random  # noqa: TID251 - WebShop shuffles its goals with it
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gem_ma.envs.webshop.products import Catalogue, Product, ShoppingGoal, make_goal
from gem_ma.envs.webshop.ranking import ProductIndex

VARIABLE = "WEBSHOP_DATA"  # the folder of the files
_PRODUCTS = ("items_shuffle_1000.json", "items_shuffle.json")  # the smaller file first
_HUMAN = "items_human_ins.json"
_UNKNOWN_PRICE = 100.0  # of a product without a price, as in WebShop
_NO_LIMIT = 1_000_000.0
_SHUFFLE_SEED = 233  # WebShop's, which decides what is in which split
_MAX_ASIN = 10  # characters; other products are left out, as in WebShop
_NUMBER = re.compile(r"[^\d.]")


class ShopDataMissing(FileNotFoundError):
    """A file of WebShop's data is missing, or is not as it should be."""


def load_catalogue(data: str | os.PathLike[str]) -> Catalogue:
    """Return the catalogue in a folder, or of an items_shuffle file; each is read once.

    A folder with items_human_ins.json has its goals from people, another one those that WebShop
    makes from the attributes.
    """
    if not isinstance(data, str | os.PathLike):
        raise TypeError(f"data={data!r}: expected the path of a folder with WebShop's files")
    path = os.fspath(data)
    if path.startswith(f"${VARIABLE}"):  # no other variable: errors would tell what it contains
        if not os.environ.get(VARIABLE):
            raise ShopDataMissing(
                f"data={data!r}: {VARIABLE} is not set; set it to the folder with {_PRODUCTS[0]}"
            )
        path = path.replace(f"${VARIABLE}", os.environ[VARIABLE], 1)
    return _load(os.path.expanduser(path))


@functools.lru_cache(maxsize=2)
def _load(name: str) -> Catalogue:
    path = Path(name)
    if path.is_dir():
        found = [path / one for one in _PRODUCTS if (path / one).is_file()]
        if not found:
            raise ShopDataMissing(f"{path} contains neither {_PRODUCTS[0]} nor {_PRODUCTS[1]}")
        path = found[0]
    attributes_path = path.with_name(path.name.replace("items_shuffle", "items_ins_v2"))
    if attributes_path == path:
        raise ShopDataMissing(f"{path}: expected a file whose name begins with items_shuffle")
    rows, attributes = _read(path, list), _read(attributes_path, dict)
    human_path = path.with_name(_HUMAN)
    human = _read(human_path, dict) if human_path.is_file() else None
    try:
        products = {one.asin: one for one in _read_products(rows, attributes)}
        if human is not None:
            goals = list(_read_human_goals(products, human))
        else:
            goals = _make_goals(products, attributes)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise ShopDataMissing(
            f"{path} or a file beside it is not as in WebShop ({type(error).__name__}: {error}); "
            "get the files again with its setup.sh"
        ) from error
    if len(goals) < 2:
        raise ShopDataMissing(f"{path}: its products have {len(goals)} goals; expected at least 2")
    random.Random(_SHUFFLE_SEED).shuffle(goals)
    index = ProductIndex(one.search_text for one in products.values())
    return Catalogue(products, index, tuple(goals))


def _read(path: Path, kind: type) -> Any:
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise ShopDataMissing(
            f"{path} cannot be read ({error.strerror}); expected WebShop's items_shuffle*.json "
            "with items_ins_v2*.json beside it"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ShopDataMissing(f"{path} is not valid JSON: {error}") from None
    if not isinstance(content, kind):
        raise ShopDataMissing(
            f"{path}: expected a JSON {kind.__name__}, got a {type(content).__name__}"
        )
    return content


def _read_products(
    rows: Sequence[Mapping[str, Any]], attributes: Mapping[str, Mapping[str, Any]]
) -> Iterator[Product]:
    seen = set()
    for row in rows:
        asin = row["asin"]
        if asin == "nan" or len(asin) > _MAX_ASIN or asin in seen:
            continue
        seen.add(asin)
        price, tag = _read_price(asin, row.get("pricing"))
        features = row["small_description"]
        yield Product(
            asin,
            str(row["name"]),
            price,
            tag,
            row["query"].lower().strip(),
            row["product_category"],
            tuple(_read_options(row.get("customization_options") or {})),
            tuple(attributes.get(asin, {}).get("attributes", ())),
            tuple(map(str, features if isinstance(features, list) else [features or ""])),
            str(row["full_description"] or ""),
        )


def _read_price(asin: str, pricing: str | None) -> tuple[float, str]:
    """Return a price and its tag; of a range, a price in it that the product's number decides."""
    numbers = [float(_NUMBER.sub("", one)) for one in (pricing or "").split("$")[1:]][:2]
    if not numbers:
        return _UNKNOWN_PRICE, f"${_UNKNOWN_PRICE}"
    if len(numbers) == 1:
        return numbers[0], f"${numbers[0]}"
    return random.Random(asin).uniform(*numbers), f"${numbers[0]} to ${numbers[1]}"


def _read_options(options: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name, contents in options.items():
        if contents is not None:
            values = [one["value"].strip().replace("/", " | ").lower() for one in contents]
            yield name.lower(), tuple(values)


def _choose_limit(product: Product) -> tuple[float, str]:
    """Return the limit of a price, one of the next tens, and how the instruction tells it."""
    tens = [10.0 * number for number in range(1, 100) if 10.0 * number > product.price][:4]
    if len(tens) < 2:
        return _NO_LIMIT, ""
    limit = max(random.Random(product.asin).sample(tens, 2))
    return limit, f", and price lower than {limit:.2f} dollars"


def _read_human_goals(
    products: Mapping[str, Product], human: Mapping[str, Any]
) -> Iterator[ShoppingGoal]:
    for product in products.values():
        limit, price_text = _choose_limit(product)
        for one in human.get(product.asin, ()):
            wanted = tuple(one["instruction_attributes"])
            if wanted:
                options = one["instruction_options"]
                values = options.values() if isinstance(options, Mapping) else options
                text = one["instruction"].strip(".") + price_text
                yield make_goal(product, text, wanted, tuple(values), limit)


def _make_goals(
    products: Mapping[str, Product], attributes: Mapping[str, Mapping[str, Any]]
) -> list[ShoppingGoal]:
    """Return a goal for each combination of options of a product with an instruction."""
    goals, counts = [], Counter[str]()
    for product in products.values():
        row = attributes.get(product.asin, {})
        instruction, wanted = row.get("instruction"), tuple(row.get("instruction_attributes") or ())
        if instruction is None or not wanted:
            continue
        limit, price_text = _choose_limit(product)
        options = sorted(product.options)
        for values in itertools.product(*(values for _, values in options)):
            said = [f"{name}: {value}" for (name, _), value in zip(options, values, strict=True)]
            option_text = f" with {', and '.join(said)}" if said else ""
            text = f"{instruction}{option_text}{price_text}"
            goals.append(make_goal(product, text, wanted, values, limit))
            counts.update(wanted)
    return [
        one._replace(weight=sum(1 / counts[name] for name in one.attributes) / len(one.attributes))
        for one in goals
    ]
