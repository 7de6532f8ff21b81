"use strict";

const $ = (id) => document.getElementById(id);

/** Return a new element; children are elements or texts, and no text is ever read as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function drawn(tag, attributes, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

// ---- unpacking

function bytes(id) {
  const text = atob($(id).textContent);
  const data = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) data[i] = text.charCodeAt(i);
  return data;
}

function inflate(id) {
  const stream = new Blob([bytes(id)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}

/** Return a function that remembers the promises of its last so many arguments. */
function remembering(count, load) {
  const known = new Map();
  return (key) => {
    const found = known.get(key) ?? load(key);
    known.delete(key);
    known.set(key, found);
    if (known.size > count) known.delete(known.keys().next().value);
    return found;
  };
}

const block = remembering(24, async (number) => (await inflate("block" + number)).split("\n"));
const sheet = remembering(24, (number) =>
  createImageBitmap(new Blob([bytes("sheet" + number)], { type: "image/png" }), { colorSpaceConversion: "none" }));

// ---- what models wrote, made visible

/** Return a text with every character that shows nothing, or moves others, spelled out. */
function shown(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
  return text.replace(/\r\n/g, "\n").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (found) => {
    const code = found.codePointAt(0);
    if ("\n\t\u200c\u200d".includes(found)) return found;
    if (code < 32) return String.fromCharCode(0x2400 + code);
    if (code === 127) return "\u2421";
    return "\u2039U+" + code.toString(16).toUpperCase().padStart(4, "0") + "\u203a";
  });
}

/** Return a block of text; what is long is cut, with a button for more. */
function said(value, limit = 6000) {
  const text = shown(value);
  const block = make("pre", { class: "said code", tabindex: "0" });
  let until = 0;
  const button = make("button", { type: "button", onclick: () => grow(100000) });
  const grow = (count) => {
    block.append(text.slice(until, until + count));
    until = Math.min(text.length, until + count);
    button.hidden = until === text.length;
    button.textContent = "Show more: " + (text.length - until).toLocaleString("en") + " characters are left";
  };
  grow(text.length <= limit ? limit : limit / 2);
  return text.length <= limit ? block : make("div", {}, block, button);
}

/** Return a text of which only the first lines are seen until somebody asks for the rest. */
function short(text) {
  const block = said(text);
  if (shown(text).length < 1200 && shown(text).split("\n").length <= 16) return block;
  block.classList.add("short");
  const button = make("button", { type: "button", class: "plain", onclick: () => {
    button.textContent = block.classList.toggle("short") ? "All of it" : "Less";
  } }, "All of it");
  return make("div", {}, block, button);
}

/** Return data as lines that can be read: what is simple beside its name, the rest folded below. */
function tree(value, depth = 0, always = false) {
  if (typeof value === "string") return value.length > 200 || value.includes("\n") ? said(value) : make("span", { class: "said" }, shown(value));
  const inner = value === null || typeof value !== "object" ? null : Object.entries(value);
  const flat = shown(JSON.stringify(value) ?? "");
  if (inner === null || (flat.length < 60 && !always) || depth > 8) return make("span", { class: "said code" }, flat.slice(0, 20000));
  return make("div", { class: "tree" }, ...inner.slice(0, 500).map(([name, one]) => {
    const large = one !== null && typeof one === "object" && JSON.stringify(one).length >= 60;
    const key = make("span", { class: "key" }, shown(name) + ": ");
    if (!large) return make("div", {}, key, tree(one, depth + 1));
    const folded = make("details", {}, make("summary", {}, shown(name) + ", " + plural(Object.keys(one).length, "entry", "entries")));
    folded.addEventListener("toggle", () => folded.childElementCount < 2 && folded.append(tree(one, depth + 1)));
    folded.open = depth === 0 && JSON.stringify(one).length < 1500;
    return make("div", {}, folded);
  }));
}

/** Return a text as data if it is JSON, and else as it is. */
function readable(text, always = false) {
  if (typeof text !== "string") return tree(text ?? "", 0, always);
  if (/^\s*[[{]/.test(text) && text.length < 1e6) {
    try { return tree(JSON.parse(text), 0, always); } catch { /* it only looks like it */ }
  }
  return said(text);
}

/** Return what a model wrote; a tool call that it wrote as JSON is shown as one. */
function written(text) {
  try {
    const { name, arguments: given } = JSON.parse(text);
    if (typeof name === "string" && given !== undefined) return card("Calls " + name, given);
  } catch { /* words */ }
  return readable(text);
}

function card(title, given, ...results) {
  const none = given === "" || given === "{}" || (given !== null && typeof given === "object" && !Object.keys(given).length);
  return make("div", { class: "call" }, make("h3", {}, shown(title)), none ? null : readable(given, true),
    ...results.flatMap((result) => [make("h3", {}, "Result"), readable(result)]));
}

/** Split a reply into thoughts and the rest, as gem_ma.engine.action_parsing does. */
function thoughts(text) {
  const parts = [];
  let inside = false;
  let position = 0;
  for (const tag of text.matchAll(/<(\/?)think(?:ing)?>/gi)) {
    const closes = tag[1] === "/";
    if (!closes && inside) continue;
    const before = text.slice(position, tag.index);
    if (closes && !inside) for (const part of parts) part.thought = true;
    if (before) parts.push({ thought: closes, text: before });
    inside = !closes;
    position = tag.index + tag[0].length;
  }
  if (position < text.length) parts.push({ thought: inside, text: text.slice(position) });
  return parts;
}

const rounded = (value, places = 3) => String(Math.round(value * 10 ** places) / 10 ** places);
const signed = (value) => typeof value !== "number" ? shown(value ?? "-") : (value > 0 ? "+" : "") + rounded(value);
const plural = (count, word, words) => count.toLocaleString("en") + " " + (count === 1 ? word : words ?? word + "s");
const under = (object, name) => Object.hasOwn(object ?? {}, name) ? object[name] : undefined;
const fact = (...words) => make("span", {}, shown(words.join(" ").slice(0, 300)));

const NAMED = new Map([["blue", 0], ["orange", 1], ["green", 2], ["purple", 3], ["yellow", 4], ["red", 6], ["gray", 7]]);
const tint = (seat, seats) => "s" + (NAMED.get(seat) ?? Math.max(0, seats.indexOf(seat)) % 8);

// ---- the list

let all = [];
let listed = [];
let visible = 0;
let about = {};
let order = { name: "number", down: false, key: (row) => row.number };
let search = 0; // the last one counts
const texts = new Map(); // words that were searched for -> the episodes in which they were found

const COLUMNS = [
  ["number", "#", (row) => row.number],
  ["return", "Seats and returns", (row) => worth(row)],
  ["turns", "Turns", (row) => row.turns],
  ["tokens", "Tokens", (row) => row.tokens],
  ["invalid", "Invalid", (row) => row.invalid],
];

const MORE = [
  ["seconds", "seconds", (row) => row.seconds],
  ["outcome", "outcome", (row) => row.outcome],
  ["env", "environment", (row) => row.env],
  ["agents", "agents", (row) => row.agents.map((pair) => pair[1]).join("\n")],
  ["file", "file", (row) => row.file],
];

/** Return all that episodes are sorted by: columns, what has none, and each seat's return. */
function orders() {
  const seats = [...new Set(all.flatMap((row) => row.agents.map((pair) => pair[0])))].slice(0, 30);
  const reports = [...new Set(all.flatMap((row) => Object.keys(row.report ?? {})))].slice(0, 30);
  return [...COLUMNS.filter(([name]) => !useless(name)).map(([name, title, key]) => [name, { number: "number", return: "return" }[name] ?? title.toLowerCase(), key]),
    ...MORE.filter(([, , key]) => all.some((row) => key(row) !== key(all[0]))),
    ...(seats.length > 1 ? seats.map((seat) => ["return." + seat, "return of " + seat, (row) => earned(row, seat)]) : []),
    ...reports.map((name) => ["report." + name, name, (row) => under(row.report, name) ?? -Infinity])];
}

function earned(row, seat) {
  const value = row.returns[row.agents.findIndex((pair) => pair[0] === seat)];
  return typeof value === "number" ? value : -Infinity;
}

/** Return what an episode is sorted by: the return of the chosen agent, or of the first seat. */
function worth(row) {
  const seat = $("agent").value ? row.agents.findIndex((pair) => pair[1] === $("agent").value) : 0;
  const value = row.returns[seat];
  return typeof value === "number" ? value : -Infinity;
}

function options(id, every, values) {
  const found = [...new Set(values)].sort();
  $(id).replaceChildren(make("option", { value: "" }, every),
    ...found.map((value) => make("option", { value }, shown(value))));
  $(id).hidden = found.length < 2;
}

const useless = (name) => (name === "tokens" || name === "invalid") && !all.some((row) => row[name]);

function heads() {
  $("heads").replaceChildren(...COLUMNS.filter(([name]) => !useless(name)).map(([name, title]) => {
    const now = order.name === name;
    const mark = now ? (order.down ? " \u25be" : " \u25b4") : "";
    return make("th", { scope: "col", "aria-sort": now ? (order.down ? "descending" : "ascending") : "none",
      class: (["number", "return"].includes(name) ? "" : "number") + (name === "tokens" ? " optional" : "") },
      make("button", { type: "button", id: "by-" + name, onclick: () => { sort(name); $("by-" + name).focus(); } }, title + mark));
  }));
}

function sort(name, down = order.name === name ? !order.down : name !== "number") {
  order = { name, down };
  const key = about.orders.find((one) => one[0] === name)[2];
  order.key = typeof key(all[0]) === "string" ? (row) => key(row).toLowerCase() : key;
  $("order").value = name;
  $("turned").textContent = down ? "\u25be" : "\u25b4";
  $("turned").setAttribute("aria-label", down ? "Descending; turn" : "Ascending; turn");
  heads();
  list();
}

const LIMIT = /^(number|turns|tokens|invalid|seconds|return|report)(?:\.(.+?))?(<=|>=|<|>|=)(-?\d+(?:\.\d+)?)$/;
const FIELD = /^([^:]+):(.+)$/;
const TESTS = { "<": (a, b) => a < b, "<=": (a, b) => a <= b, ">": (a, b) => a > b, ">=": (a, b) => a >= b, "=": (a, b) => a === b };

/** Return a function that tells whether a field, or the agent of a seat, holds some letters. */
function fielded(word) {
  const [, name, part] = FIELD.exec(word) ?? [];
  if (["env", "outcome", "ended", "file", "id"].includes(name)) return (row) => row[name].toLowerCase().includes(part);
  if (!about.seats.has(name)) return null;
  return (row) => row.agents.some((pair) => pair[0].toLowerCase() === name && pair[1].toLowerCase().includes(part));
}

/** Return what is searched for: words, and functions of an episode, as turns>10 is one. */
function wanted() {
  const words = [];
  const limits = [];
  for (const word of $("search").value.trim().toLowerCase().split(/\s+/)) {
    const [, name, seat, sign, number] = LIMIT.exec(word) ?? [];
    const holds = name ? null : fielded(word.replace(/^-/, ""));
    if (holds) limits.push(word[0] === "-" ? (row) => !holds(row) : holds);
    else if (!name && word[0] === "-" && word.length > 1) limits.push((row) => !row.words.includes(word.slice(1)));
    else if (!name) words.push(word);
    else if (name === "report") limits.push((row) => Object.entries(row.report ?? {}).some(([key, value]) => key.toLowerCase() === seat && TESTS[sign](value, Number(number))));
    else if (name !== "return") limits.push((row) => TESTS[sign](row[name], Number(number)));
    else limits.push((row) => row.agents.some((pair, i) => (seat === undefined || pair[0].toLowerCase() === seat) &&
      typeof row.returns[i] === "number" && TESTS[sign](row.returns[i], Number(number))));
  }
  return { needle: words.join(" "), limits };
}

function list() {
  const { needle, limits } = wanted();
  const found = texts.get(needle);
  const [env, agent, outcome] = ["env", "agent", "outcome"].map((id) => $(id).value);
  listed = all.filter((row) =>
    (!env || row.env === env) &&
    (!agent || row.agents.some((pair) => pair[1] === agent)) &&
    (!outcome || row.outcome === outcome) &&
    (!$("failed").checked || row.ended === "failed") &&
    (!$("truncated").checked || row.ended === "truncated") &&
    (!$("invalid").checked || row.invalid > 0) &&
    limits.every((holds) => holds(row)) &&
    (!needle || row.words.includes(needle) || found?.has(row)));
  const sign = order.down ? -1 : 1;
  const keys = new Map(listed.map((row) => [row, order.key(row)]));
  listed.sort((a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    return (order.name === "number" && about.envs.indexOf(a.env) - about.envs.indexOf(b.env)) || (x < y ? -sign : x > y ? sign : 0) || a.place - b.place;
  });
  $("body").replaceChildren();
  visible = 0;
  grow();
  $("count").textContent = listed.length === all.length ? plural(all.length, "episode") :
    listed.length.toLocaleString("en") + " of " + plural(all.length, "episode");
  summarise();
}

function grow() {
  const until = Math.min(listed.length, visible + 150);
  for (; visible < until; visible++) {
    const row = listed[visible];
    if (grouped() && row.env !== listed[visible - 1]?.env) $("body").append(group(row.env));
    $("body").append(line(row));
  }
  $("more").hidden = visible === listed.length;
}

/** Return whether episodes stand below the names of their environments: in the order of numbers, and of these. */
const grouped = () => about.envs.length > 1 && ["number", "env"].includes(order.name);

/** Return the line above the episodes of an environment. */
function group(env) {
  const some = listed.filter((row) => row.env === env);
  return make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: String(COLUMNS.length) },
    shown(env), make("span", { class: "muted" }, plural(some.length, "episode"))));
}

function line(row) {
  const seats = row.agents.map((pair) => pair[0]);
  const each = row.agents.map(([seat, agent], i) => make("div", { class: "each" },
    make("span", { class: "seat " + tint(seat, seats) }, shown(seat) + ": " + shown(agent)), make("b", {}, signed(row.returns[i]))));
  const notes = [row.outcome, row.ended].filter((word, i, words) => word !== "terminated" && words.indexOf(word) === i);
  const place = [...notes, about.envs.length > 1 && !grouped() ? row.env : "", about.files > 1 ? row.file : ""].filter(Boolean).join(", ");
  const number = (name, text, kind = "") => useless(name) ? null : make("td", { class: "number" + kind }, text);
  const tr = make("tr", { onclick: () => player.show(row) },
    make("td", {}, make("button", { type: "button", class: "plain", "aria-label": "Open episode " + row.number }, String(row.number))),
    make("td", {}, ...each, make("div", { class: row.ended === "failed" ? "bad" : "muted" }, shown(place))),
    number("turns", String(row.turns)),
    number("tokens", row.tokens ? row.tokens.toLocaleString("en") : "-", " optional"),
    number("invalid", String(row.invalid), row.invalid ? " bad" : ""));
  if (row === player.row) tr.setAttribute("aria-current", "true");
  row.tr = tr;
  return tr;
}

/** Look for words in everything that was seen and said; blocks are unpacked for it in turn. */
async function find() {
  const mine = ++search;
  list();
  const { needle } = wanted();
  if (needle.length < 2 || texts.has(needle)) return;
  const found = new Set();
  const raw = JSON.stringify(needle).slice(1, -1); // as it stands in JSON
  const holds = (value) => typeof value === "string" ? value.toLowerCase().includes(needle) :
    value !== null && typeof value === "object" && Object.values(value).some(holds);
  for (let number = 0; number < about.blocks; number++) {
    $("count").textContent = "Searching " + Math.round(100 * number / about.blocks) + " %";
    const lines = (await inflate("block" + number)).split("\n");
    if (mine !== search) return;
    lines.forEach((text, i) => {
      if (text.toLowerCase().includes(raw) && holds(JSON.parse(text))) found.add(about.at.get(number + "," + i));
    });
  }
  texts.clear();
  texts.set(needle, found);
  list();
}

// ---- the summary, of the episodes that are listed

/** Return the mean of numbers, and half of the interval that holds the true one 95 times in 100. */
function meanOf(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const square = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return [mean, values.length > 1 ? 1.96 * Math.sqrt(square / (values.length - 1) / values.length) : NaN];
}

/** Return a share, and Wilson's interval for it, as words. */
function share(successes, trials) {
  const [z, p] = [1.96 ** 2, successes / trials];
  const middle = (p + z / 2 / trials) / (1 + z / trials);
  const half = Math.sqrt(z * (p * (1 - p) / trials + z / 4 / trials ** 2)) / (1 + z / trials);
  const percent = (value) => Math.round(100 * Math.min(1, Math.max(0, value)));
  return percent(p) + " % (" + percent(successes ? middle - half : 0) + " to " + percent(successes < trials ? middle + half : 1) + ")";
}

function summarise() {
  $("short").textContent = listed.length < all.length ? "of those listed" : "";
  if (!$("summary").open) return;
  const groups = new Map();
  const outcomes = new Map();
  for (const row of listed) { // in which those of an environment stand together
    outcomes.set(row.outcome, (outcomes.get(row.outcome) ?? 0) + 1);
    row.agents.forEach(([seat, agent], i) => {
      const key = JSON.stringify([row.env, seat, agent]);
      if (!groups.has(key)) groups.set(key, { env: row.env, name: seat + ": " + agent, seat, seats: row.agents.map((pair) => pair[0]), returns: [] });
      if (typeof row.returns[i] === "number") groups.get(key).returns.push(row.returns[i]);
    });
  }
  let last = about.envs.length > 1 ? "" : about.envs[0];
  const lines = [...groups.values()].slice(0, 40).flatMap(({ env, name, seat, seats, returns }) => {
    const [mean, half] = meanOf(returns);
    const above = env === last ? [] : [make("tr", { class: "group" }, make("th", { scope: "rowgroup", colspan: "4" }, shown(env)))];
    last = env;
    return [...above, make("tr", {}, make("td", {}, make("span", { class: "seat " + tint(seat, seats) }, shown(name))),
      make("td", {}, String(returns.length)),
      make("td", {}, returns.length ? signed(mean) + (half >= 0 ? " \u00b1 " + rounded(half, 2) : "") : "-"),
      make("td", {}, returns.length ? share(returns.filter((one) => one >= 1 - 1e-9).length, returns.length) : "-"))];
  });
  const heads = ["seat and agent", "n", "return", "1 or more"].map((title) => make("th", { scope: "col" }, title));
  const bars = [...outcomes].sort((a, b) => b[1] - a[1]).slice(0, 8).flatMap(([outcome, count]) => [
    make("span", {}, shown(outcome)), make("div", { class: "bar", role: "presentation" }, width(make("i"), count / listed.length)),
    make("span", { class: "muted" }, Math.round(100 * count / listed.length) + " %")]);
  const total = (name) => listed.reduce((sum, row) => sum + row[name], 0);
  const turns = listed.map((row) => row.turns);
  const facts = listed.length ? [
    fact(rounded(meanOf(turns)[0], 1), "turns, from", turns.reduce((a, b) => Math.min(a, b)), "to", turns.reduce((a, b) => Math.max(a, b))),
    fact(rounded(100 * total("invalid") / Math.max(1, total("turns")), 1), "% invalid replies"),
    ...(total("tokens") ? [fact(Math.round(total("tokens") / listed.length).toLocaleString("en"), "tokens an episode")] : []),
  ] : [];
  $("sums").replaceChildren(
    make("table", { "aria-label": "Returns" }, make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...lines)),
    make("div", { class: "bars", "aria-label": "Outcomes", role: "group" }, ...bars), lengths(turns), make("div", { class: "facts" }, ...facts));
}

function width(element, part) {
  element.style.width = 100 * part + "%";
  return element;
}

/** Return how many episodes took how many turns, as bars. */
function lengths(turns) {
  const most = turns.reduce((a, b) => Math.max(a, b), 1);
  const count = Math.min(most + 1, 30);
  const bins = Array(count).fill(0);
  for (const one of turns) bins[Math.min(count - 1, Math.floor(one * count / (most + 1)))]++;
  const high = Math.max(1, ...bins);
  const chart = drawn("svg", { viewBox: "0 0 300 56", role: "img", "aria-label": "How many turns the episodes took: up to " + most });
  bins.forEach((bin, i) => chart.append(drawn("rect", { x: i * 300 / count + 0.5, width: 300 / count - 1,
    y: 40 - 38 * bin / high, height: 38 * bin / high, fill: "var(--accent)" })));
  chart.append(drawn("line", { class: "axis", x1: 0, x2: 300, y1: 40, y2: 40 }),
    drawn("text", { x: 0, y: 53 }, "0 turns"), drawn("text", { x: 300, y: 53, "text-anchor": "end" }, String(most)));
  return chart;
}

// ---- one episode

const LEFT = 44;

class Player {
  constructor(root) {
    this.root = root;
    this.row = null;
    this.choice = "";
    this.quiet = 0; // until then scrolling is ours
  }

  async show(row, at = 0) {
    if (!row) return;
    this.row?.tr?.removeAttribute("aria-current");
    this.row = row;
    this.episode = null;
    if (this === player) {
      row.tr?.setAttribute("aria-current", "true");
      if (this.chosenBefore) row.tr?.scrollIntoView({ block: "nearest" });
      this.chosenBefore = true; // what is opened at first leaves the summary in sight
      document.body.classList.add("open");
      if (!other.root.hidden && other.row.start !== row.start) other.close();
    }
    const lines = await block(row.block);
    if (this.row !== row) return;
    const episode = JSON.parse(lines[row.line]);
    this.moments = [];
    for (const step of episode.steps) {
      if (this.moments.at(-1)?.[0].number !== step.number) this.moments.push([]);
      this.moments.at(-1).push(step);
    }
    this.seats = [...new Set([...Object.keys(episode.agents), ...episode.steps.map((step) => String(step.agent))])];
    this.episode = episode;
    this.whole = new Map();
    this.earned = this.earnings();
    this.root.hidden = false;
    $("nothing").hidden = true;
    this.frame();
    this.step(at);
  }

  close() {
    this.root.hidden = true;
    this.row = this.episode = null;
    $("stage").classList.remove("two");
  }

  /** Return what each seat has before each moment and at the end; a move has what it caused. */
  earnings() {
    const { episode, moments, seats } = this;
    const views = episode.views ?? [];
    return new Map(seats.map((seat) => {
      const total = under(episode.returns, seat);
      const sums = views.length ? views.map((view) => under(view.earned, seat) ?? 0) : [0];
      for (let at = sums.length - 1; at < moments.length; at++) sums.push(sums[at] + (views.length ? 0 : this.paid(seat, at)));
      if (typeof total === "number") sums[moments.length] = total; // also what was earned without a turn
      return [seat, sums];
    }));
  }

  /** Return what a moment paid a seat, as far as steps tell, which have all until their seat acts again. */
  paid(seat, at) {
    const { moments } = this;
    let sum = 0;
    for (let from = at; from >= 0; from--) {
      const step = moments[from].find((one) => String(one.agent) === seat);
      if (!step) continue;
      let until = from + 1;
      while (until < moments.length && !moments[until].some((one) => String(one.agent) === seat)) until++;
      // Where another move within that time paid its own seat as much as this one lost, that move did it.
      const causes = (one) => String(one.agent) !== seat && typeof one.reward === "number" && one.reward !== 0 && one.reward === -step.reward;
      let cause = until - 1;
      while (cause > from && !moments[cause].some(causes)) cause--;
      if (cause === at && typeof step.reward === "number") sum += step.reward;
      break;
    }
    return sum;
  }

  /** Return what a moment paid a seat. */
  reward(seat, at) {
    const sums = this.earned.get(seat) ?? [];
    const value = sums[at + 1] - sums[at];
    return Math.abs(value) > 1e-9 ? value : 0;
  }

  color(seat) { return tint(seat, this.seats); }
  $(kind) { return this.root.querySelector("." + kind); }

  /** Build what is the same at all moments of an episode. */
  frame() {
    const { episode, row, seats, moments } = this;
    this.root.dataset.open = String(row.number);
    const facts = make("span", { class: "facts" }, fact("seed", episode.seed), fact("id", episode.id), fact(rounded(row.seconds, 2) + " s"),
      ...(about.files > 1 ? [fact(row.file)] : []));
    const who = seats.map((seat) => make("span", { class: "seat " + this.color(seat) },
      shown(seat) + ": " + shown(under(episode.agents, seat) ?? "?").slice(0, 200) + " ", make("b", {}, signed(under(episode.returns, seat)))));
    const name = shown(row.env) + " #" + row.number;
    const title = make("header", { class: "title" },
      this === player ? make("button", { type: "button", class: "back", onclick: () => document.body.classList.remove("open") }, "Episodes") : null,
      this === player ? make("h1", {}, name) : make("h2", {}, name),
      make("span", { class: "outcome" }, shown(row.outcome)), row.ended !== row.outcome && row.ended !== "terminated" ? fact(row.ended) : null,
      this.beside(), make("span", { class: "seats" }, ...who), facts);
    this.talk = make("div", { class: "talk", tabindex: "0", role: "region", "aria-label": this === player ? "What was said" : "What was said in the episode beside it" });
    this.talk.addEventListener("scroll", () => requestAnimationFrame(() => this.scrolled()), { passive: true });
    this.cards = moments.map((steps, at) => make("div", { class: "moments" }, ...steps.map((step) => this.turn(step, at))));
    this.end = make("div", { class: "about turn s7" }, make("h2", {}, "The end: " + shown(row.outcome)), ...this.about());
    this.talk.append(...this.told(), ...this.cards, this.end);
    this.root.replaceChildren(title, make("div", { class: "stage" }, this.talk, this.board()));
    this.chart();
  }

  /** Return what another episode from the same start is chosen with. */
  beside() {
    if (this !== player) {
      return make("button", { type: "button", onclick: () => { this.close(); player.link(); } }, "Close");
    }
    const like = about.starts.get(this.row.start).filter((row) => row !== this.row);
    if (!like.length) return null;
    const choose = make("select", { class: "beside", "aria-label": "Compare with another episode from the same start" },
      make("option", { value: "" }, "Compare with\u2026"),
      ...like.slice(0, 500).map((row) => make("option", { value: String(row.place) },
        "#" + row.number + ", " + shown(row.outcome) + (about.files > 1 ? ", " + shown(row.file) : ""))));
    choose.value = other.root.hidden ? "" : String(other.row.place);
    choose.onchange = () => choose.value === "" ? (other.close(), this.link()) : compare(all[Number(choose.value)]);
    return choose;
  }

  /** Return what seats were told before the first turn, folded. */
  told() {
    const { episode } = this;
    const rules = new Map();
    for (const [seat, text] of Object.entries(episode.rules)) rules.set(text, [...(rules.get(text) ?? []), seat]);
    return [
      ...[...rules].map(([text, seats]) => folded("Rules, as told to " + shown(seats.join(", ")), text)),
      ...Object.entries(episode.tools).map(([seat, tools]) => folded("Tools of " + shown(seat), tools)),
      folded("Contexts: how much of its chat a seat read", episode.contexts),
    ].filter(Boolean);
  }

  about() {
    const { episode, row } = this;
    const parts = [];
    if (episode.failure) {
      parts.push(make("p", { class: "bad" }, "Failed" + (episode.failure.seat ? " at " + shown(episode.failure.seat) : "") + ":"),
        said(episode.failure.kind + ": " + episode.failure.message));
    }
    const report = folded("Report of the game at the end", episode.report);
    if (report) report.open = JSON.stringify(episode.report).length < 3000;
    const made = { spec: episode.spec, options: episode.options, wrappers: episode.wrappers, version: episode.version, seconds: row.seconds };
    return [...parts, report, folded("How the environment was made", made)].filter(Boolean);
  }

  // -- the conversation

  /** Return one seat's turn: what it saw, what it said, and what became of it. */
  turn(step, at) {
    const seat = String(step.agent);
    const saw = make("div", { class: "sees" });
    if (step.picture !== undefined) {
      saw.append(make("button", { type: "button", "aria-label": "Show what " + seat + " saw at " + (at + 1),
        onclick: () => this.step(at, "seat " + seat) }, this.canvas(step.picture, step.alt || step.text, true)));
    }
    const text = make("div", { class: "text" });
    let told = step.text;
    for (const result of step.results ?? []) { // which stand in the text as well
      told = told.replace("tool: " + result, "");
      if (!this.calledBefore(step, at)) text.append(make("h3", {}, "Result"), readable(result));
    }
    if (told.trim()) text.append(short(told.trim()));
    if (step.lost) text.append(make("p", { class: "bad" }, "Its picture is not in the folder beside the file."), short(step.alt ?? ""));
    if (text.childElementCount) saw.append(text);
    const head = make("h2", {}, make("span", { class: "seat " + this.color(seat) }, shown(seat)),
      make("button", { type: "button", class: "plain", onclick: () => this.step(at) }, "turn " + (at + 1)),
      about.study ? make("a", { href: about.study + "&number=" + this.row.place + "&turn=" + this.moments.slice(0, at).flat().length,
        "aria-label": "Play on from turn " + (at + 1) }, "play on from here") : "");
    return make("div", { role: "group", class: "turn " + this.color(seat) + (step.invalid ? " invalid" : ""), "aria-label": seat + ", turn " + (at + 1) },
      head, ...(saw.childElementCount ? [saw] : []), this.replied(step, at));
  }

  /** Return whether the results that come with a turn stand below the calls of the turn before. */
  calledBefore(step, at) {
    const last = this.moments.slice(0, at).flat().findLast((one) => one.agent === step.agent);
    return Array.isArray(last?.tool_calls) && last.tool_calls.length > 0;
  }

  replied(step, at) {
    const seat = String(step.agent);
    const reply = make("div", { class: "reply" });
    if (step.reply === null) reply.append(make("p", { class: "muted" }, "No reply came."));
    else if (step.reply === "" && !step.tool_calls?.length) reply.append(make("p", { class: "muted" }, "An empty reply."));
    else {
      for (const part of thoughts(step.reply)) {
        if (part.thought) reply.append(make("details", { class: "thought" }, make("summary", {}, "Thinking, " + plural(part.text.length, "character")), said(part.text)));
        else if (part.text.trim()) reply.append(written(part.text.trim()));
      }
    }
    const calls = Array.isArray(step.tool_calls) ? step.tool_calls : [];
    const after = calls.length ? this.moments.slice(at + 1).flat().find((one) => String(one.agent) === seat) : undefined;
    const results = after?.results ?? [];
    calls.forEach((call, i) => {
      const called = call?.function ?? call;
      const dropped = typeof step.calls === "number" && i >= step.calls;
      reply.append(card((dropped ? "Not called: " : "Calls ") + shown(called?.name ?? "?"), called?.arguments ?? "", ...results.slice(i, i + 1)));
    });
    if (step.invalid) {
      reply.append(make("p", { class: "bad" }, "Invalid reply" + (step.invalid.forfeit ? ", and a forfeit: " : ": ") +
        shown(step.invalid.reason ?? "").slice(0, 1000)));
    }
    const usage = Object.entries(step.usage ?? {}).filter((pair) => typeof pair[1] === "number");
    const plain = ["string", "number"].includes(typeof step.move) && !/^\(?[A-Z]\w*\(/.test(step.move) && String(step.move).length < 80;
    const move = plain && String(step.move) !== step.reply ? [fact("move", step.move)] : [];
    const own = this.reward(seat, at);
    const acting = this.moments[at].map((one) => String(one.agent));
    const others = seat === acting.at(-1) ? this.seats.filter((one) => !acting.includes(one) && this.reward(one, at)) : [];
    reply.append(make("div", { class: "facts" }, ...move, ...(own ? [fact("reward", signed(own))] : []),
      ...others.map((one) => fact(one, "gets", signed(this.reward(one, at)))),
      ...(step.seconds >= 0.05 ? [fact(rounded(step.seconds, 2) + " s")] : []),
      ...(step.tokens && !usage.length ? [fact(plural(step.tokens, "token"))] : []),
      ...usage.map(([name, value]) => fact(name.replaceAll("_", " "), value)),
      ...(step.logprob === undefined ? [] : [fact("mean logprob", signed(step.logprob))]),
      ...(step.finish_reason && step.finish_reason !== "stop" ? [fact("finish reason", step.finish_reason)] : [])));
    return reply;
  }

  // -- the board

  board() {
    const { moments, seats } = this;
    const move = (text, label, to) => make("button", { type: "button", class: label.split(" ")[0].toLowerCase(), "aria-label": label, onclick: to }, text);
    this.slider = make("input", { type: "range", min: "0", max: String(moments.length), value: "0", "aria-label": "Moment",
      oninput: () => this.step(Number(this.slider.value)) });
    const steps = make("div", { class: "steps" }, move("|<", "First moment", () => this.step(0)),
      move("<", "Previous moment", () => this.step(this.at - 1)), this.slider,
      move(">", "Next moment", () => this.step(this.at + 1)), move(">|", "Last moment", () => this.step(Infinity)));
    const own = seats.length > 1 ? seats.map((seat) => ["seat " + seat, seat]) : [];
    const choices = [["spectator", "a spectator"], ["", seats.length > 1 ? "whoever acts" : seats[0] ?? "nobody"], ...own];
    if (!this.chosen) this.choice = this.episode.views?.length ? "spectator" : "";
    else if (!choices.some((choice) => choice[0] === this.choice)) this.choice = "";
    const radios = choices.map(([value, title]) => {
      const input = make("input", { type: "radio", name: "seen" + this.root.id, value, onchange: () => {
        this.choice = value;
        this.chosen = true;
        this.moment();
      } });
      input.checked = value === this.choice;
      return make("label", {}, input, " ", make("span", value.startsWith("seat ") ? { class: "seat " + this.color(title) } : {}, shown(title)));
    });
    this.graph = make("div", { role: "group", class: "chart", "aria-label": "Rewards" }, make("h2", {}, "Rewards so far"), make("div", { class: "legend" }));
    return make("div", { class: "board" }, steps, make("p", { class: "moment", role: "status" }),
      make("fieldset", { class: "who" }, make("legend", {}, "Seen by"), ...radios), make("div", { class: "panes" }), this.graph);
  }

  /** Go to a moment; the conversation is scrolled there. */
  step(at, choice) {
    if (!this.episode) return;
    if (choice !== undefined) {
      this.choice = choice;
      this.chosen = true;
      for (const input of this.root.querySelectorAll(".who input")) input.checked = input.value === choice;
    }
    this.at = Math.max(0, Math.min(this.moments.length, at));
    this.quiet = performance.now() + 300;
    this.talk.scrollTop = this.at === 0 ? 0 : (this.cards[this.at] ?? this.end).offsetTop - 8;
    this.moment();
    const twin = this === player ? other : player;
    if (!other.root.hidden && twin.episode && twin.at !== Math.min(this.at, twin.moments.length)) twin.step(this.at);
  }

  /** See which moment the conversation was scrolled to. */
  scrolled() {
    if (!this.episode || performance.now() < this.quiet) return;
    const line = this.talk.scrollTop + 60;
    let [low, high] = [0, this.cards.length];
    while (low < high) { // the first that begins below the line
      const middle = (low + high) >> 1;
      if (this.cards[middle].offsetTop > line) high = middle;
      else low = middle + 1;
    }
    const at = this.end.offsetTop <= line ? this.moments.length : Math.max(0, low - 1);
    if (at === this.at) return;
    this.at = at;
    this.moment();
  }

  /** Show the moment that was stepped to. */
  moment() {
    const { moments, at, row } = this;
    const steps = moments[at] ?? [];
    const acting = steps.map((step) => String(step.agent));
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", "moment " + (at + 1));
    this.$("first").disabled = this.$("previous").disabled = at === 0;
    this.$("next").disabled = this.$("last").disabled = at === moments.length;
    const words = at === moments.length ? "The end: " + shown(row.outcome === "terminated" ? "it is over" : row.outcome) :
      shown(acting.join(", ")) + (acting.length > 1 ? " act" : " acts");
    this.$("moment").textContent = (at + 1) + " of " + (moments.length + 1) + ". " + words;
    const panes = this.choice === "spectator" || (!this.choice && !steps.length) ? [this.spectated()] :
      (this.choice ? [this.choice.slice(5)] : acting).map((seat) => this.seen(seat, acting));
    this.$("panes").replaceChildren(...panes);
    for (const card of this.talk.querySelectorAll(".turn.now")) card.classList.remove("now");
    for (const card of this.cards[at]?.children ?? []) card.classList.add("now");
    const x = this.place(at);
    for (const end of ["x1", "x2"]) this.line.setAttribute(end, String(x));
    this.link();
  }

  /** Write where one is into the page's address. */
  link() {
    if (!player.episode) return;
    const words = ["episode=" + named(player.row), "turn=" + (player.at + 1)];
    if (player.chosen) words.push("seen=" + encodeURIComponent(player.choice));
    if (!other.root.hidden) words.push("with=" + named(other.row));
    hash = "#" + words.join("&");
    history.replaceState(null, "", hash);
  }

  /** Return what a seat has seen last. */
  seen(seat, acting) {
    const { moments, at } = this;
    let when = Math.min(at, moments.length - 1);
    let step;
    for (; when >= 0 && !step; when--) step = moments[when].find((one) => String(one.agent) === seat);
    const pane = make("section", { class: "pane" }, make("h2", { class: "seat " + this.color(seat) }, shown(seat) + " sees"));
    if (!step) {
      pane.append(make("p", { class: "muted" }, "Nothing yet: it has not been its turn."));
      return pane;
    }
    if (!acting.includes(seat)) pane.append(make("p", { class: "muted" }, "This is from its last turn, moment " + (when + 2) + "."));
    if (step.picture !== undefined) pane.append(this.canvas(step.picture, step.alt || step.text));
    else if (step.lost) pane.append(make("p", { class: "bad" }, "Its picture is not in the folder beside the file."), said(step.alt));
    if (step.text) pane.append(said(step.text));
    return pane;
  }

  /** Return what a spectator sees now. */
  spectated() {
    const pane = make("section", { class: "pane spectated" }, make("h2", {}, "A spectator sees"));
    const view = this.episode.views?.[this.at];
    if (view) pane.append(this.canvas(view.picture, view.text), make("details", {}, make("summary", {}, "In words"), said(view.text)));
    else pane.append(make("p", { class: "muted" }, "No spectator's view: " + shown(this.episode.unseen ?? "the episode ended before this moment") + "."));
    return pane;
  }

  // -- pictures

  /** Return the numbers of a picture's squares, which are told as changes to one before it. */
  squares(number) {
    const { episode, whole } = this;
    const chain = [];
    for (let n = number; !whole.has(n); n = episode.pictures[n].base) {
      chain.push(n);
      if (episode.pictures[n].squares) break;
    }
    while (chain.length) {
      const n = chain.pop();
      const told = episode.pictures[n];
      const numbers = told.squares ?? [...whole.get(told.base)];
      for (let i = 0; i < (told.changes?.length ?? 0); i += 2) numbers[told.changes[i]] = told.changes[i + 1];
      whole.set(n, numbers);
    }
    return whole.get(number);
  }

  canvas(number, alt, later = false) {
    const { width, height } = this.episode.pictures[number];
    const words = shown(alt ?? "").slice(0, 500);
    const element = make("canvas", { width, height, role: "img", "aria-label": words || "picture" });
    const across = Math.ceil(width / about.side);
    if (!later) draw(element, this.squares(number), across);
    else {
      element.later = () => draw(element, this.squares(number), across);
      coming.observe(element);
    }
    return element;
  }

  // -- rewards over time

  redraw() { // the board has another width now
    this.graph.querySelector("svg").remove();
    this.chart();
    this.moment();
  }

  place(at) { return LEFT + (this.wide - LEFT - 12) * at / Math.max(1, this.moments.length); }

  chart() {
    const { seats, earned: sums } = this;
    const wide = this.wide = Math.max(240, this.graph.clientWidth);
    const values = [...sums.values()].flat();
    const low = Math.min(0, ...values);
    const high = Math.max(0, ...values);
    const y = (value) => 92 - 80 * (value - low) / (high - low || 1);
    const ends = seats.map((seat) => shown(seat) + " " + signed(sums.get(seat).at(-1))).join(", ");
    const drawing = drawn("svg", { viewBox: `0 0 ${wide} 108`, role: "img", "aria-label": "Rewards so far, at the end: " + ends });
    for (const value of new Set([low, 0, high])) {
      drawing.append(drawn("line", { class: "axis", x1: LEFT, x2: wide - 12, y1: y(value), y2: y(value) }),
        drawn("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, signed(value)));
    }
    seats.forEach((seat, i) => drawing.append(drawn("polyline", {
      class: this.color(seat), "stroke-dasharray": ["none", "7 4", "2 3", "10 3 2 3"][i % 4],
      points: sums.get(seat).map((value, at) => this.place(at).toFixed(1) + "," + (y(value) + (i % 3) - 1).toFixed(1)).join(" ") })));
    this.line = drawn("line", { class: "now", y1: 4, y2: 100 });
    drawing.append(this.line);
    drawing.addEventListener("click", (event) => {
      const box = drawing.getBoundingClientRect();
      this.step(Math.round(((event.clientX - box.left) / box.width * wide - LEFT) / (this.place(1) - LEFT)));
    });
    this.graph.append(drawing);
    this.graph.querySelector(".legend").replaceChildren(...seats.map((seat) =>
      make("span", { class: "seat " + this.color(seat) }, shown(seat) + " " + signed(sums.get(seat).at(-1)))));
  }
}

function folded(title, value) {
  const empty = value === null || value === undefined || (typeof value === "object" && !Object.keys(value).length);
  return empty ? null : make("details", {}, make("summary", {}, title), typeof value === "string" ? said(value) : tree(value));
}

const coming = new IntersectionObserver((found) => {
  for (const { target, isIntersecting } of found) {
    if (!isIntersecting) continue;
    coming.unobserve(target);
    target.later();
  }
}, { rootMargin: "400px" });

async function draw(element, numbers, across) {
  const { side } = about;
  const each = about.across ** 2;
  const context = element.getContext("2d", { alpha: false });
  const needed = [...new Set(numbers.map((number) => Math.floor(number / each)))];
  const sheets = new Map(await Promise.all(needed.map(async (number) => [number, await sheet(number)])));
  numbers.forEach((number, i) => {
    const place = number % each;
    context.drawImage(sheets.get(Math.floor(number / each)),
      (place % about.across) * side, Math.floor(place / about.across) * side, side, side,
      (i % across) * side, Math.floor(i / across) * side, side, side);
  });
  element.dataset.drawn = "true";
}

// ---- two episodes from the same start

const player = new Player($("player"));
const other = new Player($("other"));

async function compare(row) {
  $("stage").classList.add("two");
  other.choice = player.choice;
  other.chosen = player.chosen;
  await other.show(row, player.at);
  const same = (a, b) => JSON.stringify(a?.map((one) => [one.agent, one.move, one.reply])) === JSON.stringify(b?.map((one) => [one.agent, one.move, one.reply]));
  let part = 0;
  while (part < player.moments.length && same(player.moments[part], other.moments[part])) part++;
  const both = part === player.moments.length && part === other.moments.length;
  other.$("outcome").after(fact(both ? "as the other" : "they part at turn " + (part + 1)));
  player.redraw();
  player.link();
}

// ---- going from one to another

let hash = "";

/** Return how an episode is called in links: by its number if there is one of it, else by its id. */
const named = (row) => about.numbers.get(row.number) === 1 ? String(row.number) : encodeURIComponent("id:" + row.id + (about.ids.get(row.id) === 1 ? "" : "@" + row.place));

function called(name) {
  if (name === null) return undefined;
  if (/^\d+$/.test(name)) return all.find((row) => String(row.number) === name);
  return all.find((row) => name === "id:" + row.id || name === "id:" + row.id + "@" + row.place);
}

/** Go where the page's address says, or to the first episode. */
async function follow() {
  if (location.hash === hash && player.episode) return;
  const link = new URLSearchParams(location.hash.slice(1));
  const row = called(link.get("episode"));
  if (!row && player.episode) return;
  const narrow = !row && matchMedia("(max-width: 800px)").matches;
  if (link.has("seen")) [player.choice, player.chosen] = [link.get("seen"), true];
  await player.show(row ?? listed[0], (Number(link.get("turn")) || 1) - 1);
  if (narrow && all.length > 1) document.body.classList.remove("open");
  const like = called(link.get("with"));
  if (like && like.start === player.row.start && like !== player.row) await compare(like);
}

function another(distance) {
  const now = listed.indexOf(player.row);
  const row = listed[now < 0 ? 0 : Math.max(0, Math.min(listed.length - 1, now + distance))];
  while (row && !row.tr?.isConnected && visible < listed.length) grow();
  if (row !== player.row) player.show(row);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const kind = event.target.type ?? "";
  if (["search", "select-one"].includes(kind) || $("keys").open) return;
  const arrows = !["range", "radio"].includes(kind) && player.episode;
  const keys = {
    ArrowLeft: () => arrows && (player.step(player.at - 1), true),
    ArrowRight: () => arrows && (player.step(player.at + 1), true),
    Home: () => arrows && (player.step(0), true),
    End: () => arrows && (player.step(Infinity), true),
    j: () => (another(1), true),
    k: () => (another(-1), true),
    "/": () => ($("search").focus(), true),
    c: () => ($("player").querySelector(".beside")?.focus(), true),
    "?": () => ($("keys").showModal(), true),
  };
  if (Object.hasOwn(keys, event.key) && keys[event.key]()) event.preventDefault();
});

$("more").onclick = grow;
$("help").onclick = () => $("keys").showModal();
$("enough").onclick = () => $("keys").close();
$("order").onchange = () => sort($("order").value, !["number", "outcome", "env", "agents", "file"].includes($("order").value));
$("turned").onclick = () => sort(order.name, !order.down);
$("summary").addEventListener("toggle", summarise);
$("filters").onsubmit = (event) => event.preventDefault();
for (const id of ["env", "agent", "outcome", "failed", "truncated", "invalid"]) $(id).onchange = list;
let typing = 0;
$("search").oninput = () => {
  clearTimeout(typing);
  typing = setTimeout(find, 200);
};
addEventListener("hashchange", follow);

(async () => {
  if (!("DecompressionStream" in window)) {
    $("nothing").textContent = "This browser is too old for this page: it has no DecompressionStream.";
    return;
  }
  about = JSON.parse(await inflate("index"));
  all = about.episodes;
  about.files = new Set(all.map((row) => row.file)).size;
  Object.assign(about, { at: new Map(), numbers: new Map(), ids: new Map(), starts: new Map() });
  all.forEach((row, place) => {
    row.place = place;
    row.words = [row.id, row.env, row.file, row.outcome, ...row.agents.flat()].join("\n").toLowerCase();
    about.at.set(row.block + "," + row.line, row);
    about.numbers.set(row.number, (about.numbers.get(row.number) ?? 0) + 1);
    about.ids.set(row.id, (about.ids.get(row.id) ?? 0) + 1);
    if (!about.starts.has(row.start)) about.starts.set(row.start, []);
    about.starts.get(row.start).push(row);
  });
  const envs = about.envs = [...new Set(all.map((row) => row.env))];
  $("what").textContent = envs.length === 1 ? shown(envs[0]) : envs.length ? plural(envs.length, "environment") : "Episodes";
  document.title = plural(all.length, "episode") + (all.length ? ": " + shown(all[0].env) : "");
  options("env", "any environment", all.map((row) => row.env));
  options("agent", "any agent", all.flatMap((row) => row.agents.map((pair) => pair[1])));
  options("outcome", "any outcome", all.map((row) => row.outcome));
  if (about.damaged.length) {
    $("damaged").hidden = false;
    $("damaged").querySelector("summary").textContent = plural(about.damaged.length, "line") + " left out: no episodes";
    $("damaged").querySelector("ul").append(...about.damaged.slice(0, 200).map((text) => make("li", {}, shown(text))));
  }
  about.seats = new Set(all.flatMap((row) => row.agents.map((pair) => pair[0].toLowerCase())));
  about.orders = orders();
  $("order").replaceChildren(...about.orders.map(([value, title]) => make("option", { value }, shown(title))));
  heads();
  $("summary").open = all.length > 1 && !matchMedia("(max-width: 800px)").matches;
  list();
  await follow();
  document.body.dataset.ready = "true";
})();
