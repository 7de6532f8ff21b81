"use strict";

const $ = (id) => document.getElementById(id);

/** Return a new element; children are elements or texts, and texts are never parsed as HTML. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const NAMED = new Map([["blue", 0], ["orange", 1], ["green", 2], ["purple", 3], ["yellow", 4], ["red", 6], ["gray", 7]]);
const tint = (seat, seats) => "s" + (NAMED.get(seat) ?? Math.max(0, seats.indexOf(seat)) % 8);
const signed = (value) => (value > 0 ? "+" : "") + Math.round(value * 1000) / 1000;

/** Return a text in which control and format characters are spelled out. */
function shown(value) {
  return String(value ?? "").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (found) =>
    "\n\t\u200c\u200d".includes(found) ? found : "\u2039U+" + found.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u203a");
}

// ---- keys of the visitor's seats, stored in this browser

const kept = () => JSON.parse(localStorage.getItem("gem_ma keys") ?? "{}");
function keep(id, keys) {
  const all = kept();
  all[id] = { ...all[id], ...keys };
  localStorage.setItem("gem_ma keys", JSON.stringify(all));
}

async function ask(path, body) {
  const given = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const answer = await fetch("/api/" + path, given);
  const told = await answer.json().catch(() => ({ problem: "there is no such page" }));
  if (!answer.ok) throw new Error(told.problem);
  return told;
}

function failed(error) { $("trouble").textContent = shown(error.message ?? error); }

// ---- the lobby

let places = [];
let agents = [];
let study = null; // a position that a match begins with, and who may play there

async function lobby() {
  const told = await ask("lobby");
  agents = told.agents;
  $("other").hidden = !told.others;
  if (!$("places").children.length) {
    places = told.places;
    $("places").replaceChildren(...places.map(tile));
    $("name").value ||= localStorage.getItem("gem_ma name") ?? "";
    chairs();
  }
  matches = told.matches;
  cards();
  $("records").replaceChildren(...told.records.map((record) => make("article", { class: "card" }, make("h3", {}, shown(record.name)),
    make("div", { class: "ways" }, make("a", { href: "/api/records/" + record.id + "/replay" }, "Read, and play on from any turn")))));
  ratings(told.ratings);
}

let matches = [];
let listed = 15;

function cards() {
  const more = make("button", { type: "button", onclick: () => { listed += 100; cards(); } }, "Show more");
  const found = matches.slice(0, listed).map(card);
  $("all").hidden = !matches.some((one) => one.over);
  $("matches").replaceChildren(...(found.length ? found : [make("p", { class: "muted" }, "Nobody has played here yet.")]), ...(matches.length > listed ? [more] : []));
}

function tile(place, i) {
  const given = { type: "radio", name: "env", value: place.id, onchange: () => { chairs(); lobby().catch(failed); } };
  return make("label", { class: "place" }, make("input", i ? given : { ...given, checked: "" }),
    make("img", { src: "data:image/png;base64," + place.picture, alt: "", width: 252, height: 252 }),
    make("b", {}, place.title), make("span", {}, place.seats.length === 1 ? "alone" : place.seats.length + " seats"));
}

/** Show the results of a search, each as a button that adds its tile. */
async function search() {
  const words = $("search").value;
  if (!$("found-many").textContent) $("found-many").textContent = "looking\u2026";
  const told = await ask("places?words=" + encodeURIComponent(words));
  if (words !== $("search").value) return; // a later one is on its way
  $("found-many").textContent = told.found.length || !words.trim() ? told.of + " others can be played here" : "nothing that can be played here has these words in its id";
  $("found").replaceChildren(...told.found.map((id) => make("button", { type: "button", onclick: () => add(id).catch(failed) }, id)));
}

async function add(id) {
  if (!places.some((one) => one.id === id)) {
    places = [await ask("places/" + encodeURIComponent(id)), ...places];
    $("places").prepend(tile(places[0], 1));
  }
  const box = $("places").querySelector('[value="' + CSS.escape(id) + '"]');
  box.checked = true;
  box.dispatchEvent(new Event("change"));
  box.focus();
}

const chosen = () => study ?? places.find((one) => one.id === document.querySelector("#places :checked")?.value) ?? places[0];
const titled = (env) => places.find((one) => one.id === env)?.title ?? env;

function chairs() {
  const place = chosen();
  if (!place) return;
  $("chosen").textContent = place.title;
  $("chosen").ariaLevel = study ? "1" : "2"; // what the page is about
  $("what").textContent = place.about;
  const kept = new Map([...$("chairs").querySelectorAll("select")].map((one) => [one.name, one.value]));
  $("chairs").replaceChildren($("chairs").querySelector("legend"), ...place.seats.map((seat, i) => {
    const choose = make("select", { name: seat }, make("option", { value: "me" }, "me"),
      make("option", { value: "open" }, "whoever comes"), ...agents.map((agent) => make("option", { value: agent }, agent)));
    choose.value = kept.get(seat) ?? (i === 0 ? "me" : agents[0] ?? "open");
    return make("label", {}, make("span", { class: "seat " + tint(seat, place.seats) }, seat), choose);
  }));
  $("watched").replaceChildren(make("option", { value: "" }, "nothing"), make("option", { value: "all" }, "everything"),
    ...place.seats.map((seat) => make("option", { value: seat }, "what " + seat + " sees")));
}

/** Return the reason why a match is not rated, if it has several seats. */
const unrated = (match) => match.unrated && Object.keys(match.seats).length > 1 ? ", not rated: " + shown(match.unrated) : "";

function card(match) {
  const seats = Object.keys(match.seats);
  const mine = kept()[match.id];
  const state = match.over ? match.outcome : match.free.length ? "waits for players" : "is being played";
  const free = match.over ? [] : match.free.map((seat) => make("button", { type: "button", onclick: () => sit(match.id, seat) }, "Sit down as " + seat));
  const best = match.returns ? Math.max(...Object.values(match.returns)) : null;
  return make("article", { class: "card" },
    make("h3", {}, titled(match.env) + " ", make("span", { class: "muted" }, shown(state) + (match.of ? ", from a position" : "") + unrated(match))),
    make("div", { class: "ways" }, ...free, make("a", { href: "#" + match.id }, mine && !match.over ? "Go on" : match.over ? "Look" : "Watch"),
      match.over ? make("a", { href: "/api/records/" + match.id + "/replay" }, "Replay") : ""),
    make("div", { class: "who" }, ...seats.map((seat) => make("span", { class: "seat " + tint(seat, seats) + (match.returns && seats.length > 1 && match.returns[seat] === best ? " first" : "") },
      seat + ": " + shown(match.seats[seat] || "free") + (match.returns && !match.left ? " " + signed(match.returns[seat] ?? 0) : "")))));
}

/** Show the ratings of the chosen environment with their intervals. */
function ratings(all) {
  const place = chosen();
  const rows = (all[place?.env ?? place?.id] ?? []).map((one) => make("tr", {}, make("td", {}, shown(one.name.replace(/^human:/, ""))),
    make("td", {}, one.mean.toFixed(1)), make("td", {}, "\u00b1 " + one.doubt.toFixed(1)), make("td", {}, String(one.matches))));
  $("rated-title").textContent = place ? "Ratings: " + place.title : "Ratings";
  $("ratings").replaceChildren(rows.length ? make("table", { "aria-labelledby": "rated-title" },
    make("thead", {}, make("tr", {}, ...["Who", "Mean", "95 %", "Matches"].map((word) => make("th", { scope: "col" }, word)))), make("tbody", {}, ...rows)) :
    make("p", { class: "muted" }, "No match that counts is over yet. A new player begins at 25 \u00b1 16."));
}

function named() {
  const name = $("name").value.trim();
  localStorage.setItem("gem_ma name", name);
  if (!name) { $("name").focus(); throw new Error("Say your name first."); }
  return name;
}

/** Prepare a match that begins at a position of a record. */
async function studying(link) {
  const [of, number, turn] = [link.get("study"), Number(link.get("number")), Number(link.get("turn"))];
  const told = await ask("records/" + encodeURIComponent(of) + "/position?number=" + number + "&turn=" + turn);
  await lobby();
  study = { of, number, turn, env: told.env, seats: told.seats, title: titled(told.env) + ", from a position",
    about: told.moves === 1 ? "One turn was played before." : told.moves + " turns were played before." };
  $("choose").hidden = true;
  $("lobby").classList.add("studying");
  chairs();
  $("name").focus();
}

async function sit(id, seat) {
  try {
    const told = await ask("matches/" + id + "/sit", { seat, name: named() });
    keep(id, told.keys);
    location.hash = id;
  } catch (error) { failed(error); }
}

async function begin(event) {
  event.preventDefault();
  try {
    const seats = Object.fromEntries([...$("chairs").querySelectorAll("select")].map((one) => [one.name, one.value]));
    const start = study ? { of: study.of, number: study.number, turn: study.turn } : { env: chosen().id };
    const told = await ask("matches", { ...start, name: named(), seats, watched: $("watched").value, clock: Number($("clock").value), bank: Number($("bank").value),
      takes_back: $("takes_back").checked, chat: $("chat").checked });
    keep(told.id, told.keys);
    location.hash = told.id;
  } catch (error) { failed(error); }
}

// ---- a table

let socket = null;
let seat = null;
let view = null;
let again = 0;

function sitting(id) {
  const mine = Object.keys(kept()[id] ?? {});
  if (!mine.includes(seat)) seat = mine[0] ?? null;
}

function connect(id) {
  socket?.close();
  clearTimeout(again);
  const mine = new WebSocket((location.protocol === "https:" ? "wss://" : "ws://") + location.host + "/api/matches/" + id + "/table");
  socket = mine;
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  mine.onopen = () => mine.send(JSON.stringify(seat === null ? { dark } : { dark, key: kept()[id][seat] }));
  mine.onmessage = (event) => {
    const told = JSON.parse(event.data);
    if (told.problem) return failed(told.problem);
    $("trouble").textContent = shown(told.trouble);
    draw(told);
  };
  mine.onclose = (event) => { // the server may be back in a moment; 1008: it lets nobody in so, 1013: not now
    if (socket !== mine || $("match").hidden || event.code === 1008) return;
    again = setTimeout(() => connect(id), event.code === 1013 ? 10000 : 1000);
  };
}

const send = (message) => socket.readyState === 1 ? socket.send(JSON.stringify(message)) : failed("The server does not answer; trying again.");

function draw(told) {
  const before = view;
  const focus = document.activeElement?.dataset ?? {};
  if (focus.square !== undefined || focus.move !== undefined) held = { ...focus };
  view = told;
  received = performance.now();
  const seats = Object.keys(told.seats);
  $("game").textContent = titled(told.env);
  document.title = (told.yours ? "Your turn: " : "") + titled(told.env);
  state();
  $("unrated").textContent = unrated(told).slice(2);
  $("seats").replaceChildren(...seats.map((one) => make("span", { class: "seat " + tint(one, seats) },
    one + ": " + shown(told.seats[one] || "free") + (told.seat === one ? " (you)" : "") + (told.over && !told.left ? " " + signed(told.returns[one] ?? 0) : ""))));
  board(told);
  const listed = (told.squares ? told.moves : told.legal) ?? [];
  const hide = hiding() && !told.squares;
  $("moves").replaceChildren(...(hide ? [] : listed).map((move) => make("button", { type: "button",
    "data-move": move, onclick: () => send(told.squares ? { move } : { reply: move }) }, shown(move))));
  $("say").querySelector("label").textContent = told.screen ? "An action in words" : "Your reply";
  $("say").hidden = !told.yours || Boolean(!hide && (told.squares ?? told.legal));
  $("more").replaceChildren(...more(told));
  talk(told, seats);
  chat(told, seats);
  if (told.yours && !before?.yours && !$("say").hidden && !told.screen) $("reply").focus();
  else if (held && document.activeElement === document.body) refocus();
}

let received = 0;
let held = null; // the square or move that had the focus before the view was drawn again

/** Restore the focus to the element at the same place, so that keys still work. */
function refocus() {
  const found = held.square !== undefined ? $("board").querySelector('[data-square="' + CSS.escape(held.square) + '"]') :
    $("moves").querySelector('[data-move="' + CSS.escape(held.move) + '"]') ?? $("moves").firstElementChild;
  found?.focus();
}

addEventListener("focusin", (event) => { if (event.target.dataset.square === undefined && event.target.dataset.move === undefined) held = null; });
addEventListener("pointerdown", () => { held = null; });

const minutes = (seconds) => Math.floor(Math.max(0, Math.ceil(seconds)) / 60) + ":" + String(Math.max(0, Math.ceil(seconds)) % 60).padStart(2, "0");

/** Show whose turn it is, and the time that is left. */
function state() {
  const told = view;
  const words = told.over ? told.outcome : !told.ready ? "waiting for players" :
    told.seat === null ? "you look on" : told.yours ? "your turn" : "others think";
  $("time").textContent = told.over ? "" : told.seconds !== undefined ? minutes(told.seconds - (performance.now() - received) / 1000) :
    told.bank !== undefined ? minutes(told.bank) : "";
  if ($("state").textContent !== words) $("state").textContent = words;
  $("state").classList.toggle("mine", Boolean(told.yours));
}

function board(told) {
  $("board").hidden = !told.image;
  $("board").classList.toggle("hidden", hiding());
  if (told.image) {
    $("picture").src = "data:image/png;base64," + told.image;
    $("picture").alt = shown(told.text).slice(0, 1000);
  }
  for (const one of $("board").querySelectorAll(".square")) one.remove();
  const squares = told.squares ?? [];
  const many = squares.filter((one) => one[6]).length > squares.length / 2; // where nearly all lead on, none is marked
  $("board").append(...squares.map((one) => square(one, one[6] && !many)));
  $("board").classList.toggle("screen", Boolean(told.screen));
  if (told.screen) {
    $("board").tabIndex = 0;
    $("board").setAttribute("role", "application");
    $("board").setAttribute("aria-label", "The screen: clicks and keys go there");
  } else for (const name of ["tabindex", "role", "aria-label"]) $("board").removeAttribute(name);
}

const SIDE = 448;
function square([id, x, y, w, h, name], leads) {
  const one = make("button", { type: "button", class: leads ? "square leads" : "square", "data-square": id, "aria-label": shown(name) + ", square " + id, onclick: () => send({ square: id }) });
  Object.assign(one.style, { left: 100 * x / SIDE + "%", top: 100 * y / SIDE + "%", width: 100 * w / SIDE + "%", height: 100 * h / SIDE + "%" });
  return one;
}

/** Move the focus between squares with the arrow keys. */
$("board").addEventListener("keydown", (event) => {
  const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  const from = event.target.dataset.square?.split(",").map(Number);
  if (!way || !from) return;
  event.preventDefault();
  $("board").querySelector('.square[data-square="' + (from[0] + way[0]) + "," + (from[1] + way[1]) + '"]')?.focus();
});

// ---- a screen: pointer and keyboard

let pressed = null;
let clicking = 0;
let typed = "";
let typing = 0;

function place(event) {
  const box = $("picture").getBoundingClientRect();
  return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height].map((part) => Math.max(0, Math.min(SIDE - 1, Math.round(part * SIDE)))).join(", ");
}

function act(reply) {
  flush();
  send({ reply });
}

function flush() {
  clearTimeout(typing);
  if (typed) send({ reply: "type(" + JSON.stringify(typed) + ")" });
  typed = "";
}

$("picture").addEventListener("pointerdown", (event) => {
  if (!view?.screen || event.button) return;
  event.preventDefault();
  $("board").focus();
  pressed = [event.clientX, event.clientY, place(event)];
});
addEventListener("pointerup", (event) => {
  if (!pressed || !view?.screen) return;
  const [x, y, from] = pressed;
  pressed = null;
  if (Math.hypot(event.clientX - x, event.clientY - y) > 6) return act("drag(" + from + ", " + place(event) + ")");
  if (clicking) {
    clearTimeout(clicking);
    clicking = 0;
    return act("double_click(" + from + ")");
  }
  clicking = setTimeout(() => { clicking = 0; act("click(" + from + ")"); }, 220); // unless a second one follows
});
$("picture").addEventListener("contextmenu", (event) => {
  if (!view?.screen) return;
  event.preventDefault();
  act("right_click(" + place(event) + ")");
});
$("picture").addEventListener("wheel", (event) => {
  if (!view?.screen) return;
  event.preventDefault();
  act("scroll(" + place(event) + ", " + Math.sign(event.deltaY) * 120 + ")");
}, { passive: false });
$("board").addEventListener("keydown", (event) => {
  if (!view?.screen || event.target !== $("board") || event.key === "Tab") return; // Tab leads on
  const held = (event.ctrlKey || event.metaKey ? "ctrl+" : "") + (event.shiftKey && event.key.length > 1 ? "shift+" : "") + (event.altKey ? "alt+" : "");
  if (["Control", "Shift", "Alt", "Meta"].includes(event.key)) return;
  event.preventDefault();
  if (event.key.length === 1 && !held) {
    typed += event.key;
    clearTimeout(typing);
    typing = setTimeout(flush, 500);
  } else act('key("' + held + event.key.toLowerCase() + '")');
});

// ---- the panels next to the board

const hiding = () => localStorage.getItem("gem_ma hidden") === "1";

const REALLY = "Really leave? The match ends.";
let leaving = false; // whether "Leave" was clicked once

function more(told) {
  const id = told.id;
  const own = Object.keys(kept()[id] ?? {});
  const parts = own.length > 1 ? own.map((one) => make("button", { type: "button", "aria-pressed": String(one === seat), onclick: () => { seat = one; leaving = false; connect(id); } }, "as " + one)) : [];
  if (told.over) {
    const agentsOnly = Object.values(told.seats).every((one) => agents.includes(one));
    if (own.length || agentsOnly) parts.push(make("button", { type: "button", class: "primary", onclick: (event) => playAgain(id, event.target) },
      told.next && own.some((one) => told.next.free.includes(one)) ? "Play again: somebody waits for you" : "Play again"));
    else if (told.next) parts.push(make("a", { href: "#" + told.next.id }, "Watch the next match"));
    parts.push(make("a", { href: "#" }, "Back to the lobby"));
    parts.push(make("a", { href: "/api/records/" + id + "/replay" }, "Replay"), ...(told.of ? [make("a", { href: "/api/records/c" + id + "/replay#episode=0&with=1&turn=" + (Number(told.of.split(":")[2]) + 1) }, "Compare with what it went on from")] : []),
      make("a", { href: "/api/records/" + id + ".jsonl" }, "Record"),
      make("button", { type: "button", class: "plain", onclick: (event) => proof(id, event.target) }, "Play the record again, as a proof"));
  } else if (told.seat !== null) {
    if (told.squares || told.legal) {
      const box = make("input", { type: "checkbox", ...(hiding() ? {} : { checked: "" }), onchange: () => { localStorage.setItem("gem_ma hidden", box.checked ? "0" : "1"); draw(view); } });
      parts.push(make("label", {}, box, " show legal moves"));
    }
    if (told.takes_back) parts.push(make("button", { type: "button", onclick: () => send({ back: true }) }, "Take back"));
    const leave = make("button", { type: "button", onclick: () => {
      if (leaving) return send({ leave: true });
      leaving = true; // also when others move meanwhile
      leave.textContent = REALLY;
    } }, leaving ? REALLY : "Leave");
    parts.push(leave);
  } else if (!told.image) parts.push(make("p", { class: "muted" }, "What happens at this table is shown when the match is over."));
  return parts;
}

/** Begin a rematch, or take a seat in one that another player has begun. */
async function playAgain(id, button) {
  button.disabled = true;
  try {
    const told = await ask("matches/" + id + "/again", { keys: Object.values(kept()[id] ?? {}) });
    keep(told.id, told.keys);
    location.hash = told.id;
  } catch (error) {
    button.disabled = false;
    failed(error);
  }
}

async function proof(id, button) {
  try {
    const told = await ask("matches/" + id + "/proof");
    button.replaceWith(make("span", { class: told.proven ? "good" : "bad" }, told.proven ? "Played again, it went the same way (" + told.seconds + " s)" : "Played again, it went another way"));
  } catch (error) { failed(error); }
}

/** Return the beginning of a text as one line. */
function line(text) {
  const words = shown(text).split("\n").filter((one) => one.trim()).slice(0, 2).join(" \u00b7 ");
  return words.length > 72 ? words.slice(0, 70) + "\u2026" : words;
}

function talk(told, seats) {
  const parts = [];
  const were = new Map([...$("talk").querySelectorAll("details[data-kept]")].map((one) => [one.dataset.of, one.open])); // what somebody has opened or shut stays so
  const fold = (of, title, text, open = false) => make("details", { "data-of": of, ...(were.has(of) ? { "data-kept": "" } : {}), ...(were.get(of) ?? open ? { open: "" } : {}) },
    make("summary", { onclick: (event) => { event.target.parentElement.dataset.kept = ""; } }, title), make("p", { class: "words" }, shown(text)));
  const first = told.yours && !told.said.length; // what one has to do is read before anything is done
  if (told.rules) parts.push(fold("rules " + told.seat, "Rules", told.rules, first));
  const others = (heard) => (heard ?? []).map((one) => make("p", { class: "heard " + (one.seat ? tint(one.seat, seats) : "muted") },
    one.seat ? make("span", { class: "seat " + tint(one.seat, seats) }, one.seat + ": ") : "", make("span", { class: "words" }, shown(one.text))));
  for (const [number, one] of (told.said ?? []).entries()) {
    parts.push(...others(one.heard), make("section", { class: "turn " + tint(one.seat, seats) }, make("h2", { class: "seat " + tint(one.seat, seats) }, one.seat),
      one.text ? fold(one.seat + " " + number, "saw " + line(one.text), one.text) : "",
      make("p", { class: "said" }, shown(one.reply)), one.late ? make("p", { class: "muted" }, "The time was up: a move by chance.") : "",
      one.invalid ? make("p", { class: "bad" }, "Invalid: " + shown(one.invalid.reason)) : ""));
  }
  parts.push(...others(told.heard));
  if (told.text) parts.push(make("section", { class: "turn" }, make("h2", {}, told.yours ? "Now" : "Last seen"), make("p", { class: "words", id: "now" }, shown(told.text))));
  const heard = shown(told.text).slice(0, 600); // for who hears the page: what happened, and how it stands
  if ($("heard").textContent !== heard) $("heard").textContent = heard;
  $("talk").replaceChildren(...parts);
  $("talk").scrollTop = $("talk").scrollHeight;
}

function chat(told, seats) {
  $("chatting").hidden = told.chat === null || Object.keys(told.seats).length < 2;
  $("speak").hidden = told.seat === null;
  if (!told.chat) return;
  $("lines").replaceChildren(...told.chat.map((one) => make("p", {}, make("span", { class: "seat " + tint(one.seat, seats) }, shown(one.name) + ": "), make("span", { class: "said" }, shown(one.words)))));
  $("lines").scrollTop = $("lines").scrollHeight;
}

// ---- switching between lobby and match

function go() {
  const id = location.hash.slice(1);
  const there = /^[0-9a-f]{10}$/.test(id);
  $("trouble").textContent = "";
  $("lobby").hidden = there;
  $("match").hidden = !there;
  study = null;
  leaving = false;
  $("choose").hidden = false;
  $("lobby").classList.remove("studying");
  if (there) {
    view = null;
    sitting(id);
    if (!places.length) lobby().then(() => view && draw(view), failed);
    connect(id);
    return;
  }
  socket?.close();
  socket = null;
  document.title = "gem_ma arena";
  const link = new URLSearchParams(id);
  (link.has("study") ? studying(link) : lobby().then(chairs)).catch(failed);
}

$("new").onsubmit = begin;
$("search").oninput = () => search().catch(failed);
$("say").onsubmit = (event) => {
  event.preventDefault();
  send({ reply: $("reply").value });
  $("reply").value = "";
};
$("speak").onsubmit = (event) => {
  event.preventDefault();
  if ($("words").value.trim()) send({ words: $("words").value });
  $("words").value = "";
};
$("reply").onkeydown = (event) => {
  if (event.key === "Enter" && !event.shiftKey) { event.preventDefault(); $("say").requestSubmit(); }
};
addEventListener("hashchange", go);
setInterval(() => $("lobby").hidden || document.hidden || lobby().catch(failed), 5000);
setInterval(() => view?.seconds !== undefined && state(), 250);
go();
