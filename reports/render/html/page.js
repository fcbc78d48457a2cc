"use strict";
// The table's filter and the pages of cases. All state is in the address: "#q=..&status=.."
// is the table as filtered, "#case=core/x" a case.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const overview = $("#overview"), pages = $("#pages"), form = $("form.filter"), title = document.title;
  const rows = all("tbody tr"), chips = all(".chip");
  const articles = new Map(all(".case").map(a => [a.dataset.id, a]));
  let filter = "", shown = null, scrolled = 0;

  // Without this script all is shown, one below the other.
  pages.hidden = true;
  articles.forEach(a => { a.hidden = true; });
  form.hidden = $(".back").hidden = false;
  $(".tested").open = false;
  addEventListener("beforeprint", () => { $(".tested").open = true; });

  function read() {
    const p = new URLSearchParams();
    if (form.q.value.trim()) p.set("q", form.q.value.trim());
    const pressed = chips.filter(c => c.ariaPressed === "true").map(c => c.dataset.status);
    if (pressed.length) p.set("status", pressed.join(","));
    if (form.area.value) p.set("area", form.area.value);
    if (form.level.value) p.set("level", form.level.value);
    return p;
  }

  function write(p) {
    if (document.activeElement !== form.q) form.q.value = p.get("q") || "";
    const pressed = (p.get("status") || "").split(",");
    chips.forEach(c => { c.ariaPressed = String(pressed.includes(c.dataset.status)); });
    form.area.value = p.get("area") || "";
    form.level.value = p.get("level") || "";
  }

  function apply(p) {
    const words = (p.get("q") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const status = p.get("status") ? p.get("status").split(",") : null;
    let n = 0;
    for (const r of rows) {
      const d = r.dataset;
      r.hidden = !((!status || status.includes(d.status)) && (!p.get("area") || d.area === p.get("area")) &&
        (!p.get("level") || d.level === p.get("level")) && words.every(w => d.search.includes(w)));
      if (!r.hidden) n++;
    }
    const some = [...p].length > 0;
    $("#shown").textContent = some ? `${n} of ${rows.length} cases` : `${rows.length} cases`;
    $("[type=reset]", form).hidden = !some;
    $(".none").hidden = n > 0;
    $("table").hidden = n === 0;
  }

  function refilter() {
    const p = read();
    filter = p.toString();
    history.replaceState(null, "", "#" + filter);
    apply(p);
  }

  function clear() {
    form.q.value = "";
    write(new URLSearchParams());
    refilter();
  }

  form.addEventListener("input", refilter);
  form.addEventListener("submit", e => e.preventDefault());
  form.addEventListener("reset", e => { e.preventDefault(); clear(); form.q.focus(); });
  $(".none button").addEventListener("click", () => { clear(); form.q.focus(); });
  chips.forEach(c => c.addEventListener("click", () => { c.ariaPressed = String(c.ariaPressed !== "true"); refilter(); }));

  // Previous and next are those of the table as it is filtered.
  function neighbours(id) {
    const ids = rows.filter(r => !r.hidden || r.dataset.id === id).map(r => r.dataset.id), i = ids.indexOf(id);
    [[".previous", ids[i - 1]], [".next", ids[i + 1]]].forEach(([where, to]) => {
      const a = $(where, pages);
      a.hidden = !to;
      if (to) { a.href = "#case=" + to; a.title = to; }
    });
  }

  function route() {
    const skips = location.hash === "#cases"; // the link to them
    if (skips && !shown) return;
    const p = new URLSearchParams(skips ? filter : location.hash.slice(1)), id = p.get("case"), article = articles.get(id);
    if (article) {
      if (!shown) scrolled = scrollY;
      if (shown) shown.hidden = true;
      shown = article;
      overview.hidden = true;
      pages.hidden = article.hidden = false;
      $(".back a", pages).href = "#" + filter;
      neighbours(id);
      document.title = id + " · " + title;
      scrollTo(0, 0);
      $("h1", article).focus({preventScroll: true});
      timeline($(".timeline", article));
      return;
    }
    const from = shown;
    if (shown) shown.hidden = true;
    shown = null;
    pages.hidden = true;
    overview.hidden = false;
    document.title = title;
    filter = p.toString();
    write(p);
    apply(p);
    if (from) {
      scrollTo(0, scrolled);
      const row = rows.find(r => r.dataset.id === from.dataset.id);
      if (row && !row.hidden) $("a", row).focus({preventScroll: true});
    }
  }
  addEventListener("hashchange", route);
  // Escape leads back from a case.
  addEventListener("keydown", e => { if (e.key === "Escape" && shown) location.hash = filter; });

  // --- the timeline of a case ---

  const sources = {
    step: "Steps", pod: "Pods", claim: "Claims", slice: "Slices", driver: "Driver calls", event: "Events",
    scheduler: "Scheduler log", kubelet: "Kubelet log",
  };
  const singular = {
    step: "Step", pod: "Pod", claim: "Claim", slice: "Slice", driver: "Driver on", event: "Event",
    scheduler: "Scheduler", kubelet: "Kubelet on",
  };

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
    const t = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
    t.entries = (t.entries || []).map(([at, took, open, source, object, text, state, severity], i) =>
      ({i, at, took, open, source, object, text, state, severity}));
    return t;
  }

  const html = (name, properties = {}, ...children) => {
    const e = Object.assign(document.createElement(name), properties);
    e.append(...children);
    return e;
  };
  const svg = (name, attributes = {}, text) => {
    const e = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const k in attributes) e.setAttribute(k, attributes[k]);
    if (text !== undefined) e.textContent = text;
    return e;
  };
  const seconds = (ms, digits = 3) => (ms < 0 ? "−" : "+") + (Math.abs(ms) / 1000).toFixed(digits) + " s";
  const short = (text, n) => text.length <= n ? text : text.slice(0, Math.ceil(n / 2) - 1) + "…" + text.slice(-Math.floor(n / 2));

  // One lane for each object and each log, and one for all slices and all events.
  function lanesOf(entries) {
    const lanes = new Map();
    for (const source of Object.keys(sources)) {
      for (const e of entries) {
        if (e.source !== source) continue;
        const object = source === "event" || source === "slice" || source === "step" ? "" : e.object;
        const key = source + " " + object;
        if (!lanes.has(key)) lanes.set(key, {source, object, entries: []});
        lanes.get(key).entries.push(e);
      }
    }
    return [...lanes.values()];
  }

  async function timeline(section) {
    const packed = section.dataset.packed;
    if (!packed || section.dataset.drawn) return;
    section.dataset.drawn = "yes";
    $(".fallback", section)?.remove();
    let t;
    try {
      t = await unpack(packed);
    } catch (e) {
      section.append(html("p", {className: "quiet", textContent: "The timeline could not be read by this browser: " + e.message}));
      return;
    }
    draw(section, t);
  }

  function draw(section, t) {
    const lanes = lanesOf(t.entries), present = Object.keys(sources).filter(s => t.entries.some(e => e.source === s));
    const first = Math.min(0, ...t.entries.map(e => e.at)), last = Math.max(t.length, ...t.entries.map(e => e.at + e.took));
    const whole = [first, last + (last - first) * 0.01];
    let range = whole;

    const chart = html("div", {className: "chart"});
    const label = html("span", {className: "quiet"});
    const buttons = {};
    const group = html("div", {className: "group"});
    group.setAttribute("role", "group");
    group.ariaLabel = "Zoom";
    for (const [key, text, name] of [["in", "+", "Zoom in"], ["out", "−", "Zoom out"], ["earlier", "‹", "Earlier"], ["later", "›", "Later"], ["whole", "Whole", "Whole case"]]) {
      buttons[key] = html("button", {type: "button", textContent: text, title: name});
      buttons[key].ariaLabel = name;
      group.append(buttons[key]);
    }
    const boxes = {};
    const fieldset = html("fieldset", {className: "sources"}, html("legend", {textContent: "Listed"}));
    for (const s of present) {
      const n = t.entries.filter(e => e.source === s).length;
      boxes[s] = html("input", {type: "checkbox", checked: s !== "scheduler" && s !== "kubelet"});
      boxes[s].addEventListener("change", list);
      fieldset.append(html("label", {}, boxes[s], `${sources[s]} `, html("span", {className: "quiet", textContent: n})));
    }
    const entries = html("ol", {className: "entries"});
    const none = html("p", {className: "quiet", textContent: "Nothing of what is chosen happened in this time.", hidden: true});
    section.append(html("div", {className: "tools"}, label, group), chart, fieldset, entries, none);
    if (t.missing) section.append(html("p", {className: "missing quiet", textContent: "Not seen: " + t.missing.join("; ") + "."}));

    function zoom(from, to) {
      const length = Math.max(20, Math.min(to - from, whole[1] - whole[0]));
      from = Math.max(whole[0], Math.min(from, whole[1] - length));
      range = [from, from + length];
      paint();
      list();
    }
    const middle = () => (range[0] + range[1]) / 2, length = () => range[1] - range[0];
    buttons.in.onclick = () => zoom(middle() - length() / 4, middle() + length() / 4);
    buttons.out.onclick = () => zoom(middle() - length(), middle() + length());
    buttons.earlier.onclick = () => zoom(range[0] - length() / 2, range[1] - length() / 2);
    buttons.later.onclick = () => zoom(range[0] + length() / 2, range[1] + length() / 2);
    buttons.whole.onclick = () => zoom(...whole);

    function list() {
      const within = t.entries.filter(e => boxes[e.source].checked && e.at + e.took >= range[0] && e.at <= range[1]);
      entries.replaceChildren(...within.map(row));
      none.hidden = within.length > 0;
    }

    function row(e) {
      const seen = e.source === "step" && e.object === "seen";
      let text = e.text;
      if (e.took) text += `, answered after ${(e.took / 1000).toFixed(3)} s`;
      if (e.open) text += ", not answered";
      const li = html("li", {className: [e.source, e.severity, seen ? "seen" : ""].join(" ").trim()},
        html("span", {className: "at", textContent: seconds(e.at)}), html("span", {className: "dot", ariaHidden: "true"}),
        html("span", {className: "who", textContent: who(e)}),
        html("span", {className: "text", textContent: text}));
      li.dataset.entry = e.i;
      li.addEventListener("mouseenter", () => cursor(e.at));
      li.addEventListener("mouseleave", () => cursor(null));
      return li;
    }

    function who(e) {
      if (e.source === "event") return e.object;
      if (e.source === "step") return singular.step;
      // Only the end of a slice's name tells it from others: the rest is its driver's.
      return `${singular[e.source]} ${e.source === "slice" ? "…" + e.object.slice(-6) : short(e.object, 40)}`;
    }

    let x = () => 0, line;
    function cursor(at) {
      if (!line) return;
      line.style.display = at === null || at < range[0] || at > range[1] ? "none" : "";
      if (at !== null) { line.setAttribute("x1", x(at)); line.setAttribute("x2", x(at)); }
    }

    function paint() {
      buttons.in.disabled = length() <= 20;
      const all = length() >= whole[1] - whole[0];
      buttons.out.disabled = buttons.whole.disabled = all;
      buttons.earlier.disabled = range[0] <= whole[0];
      buttons.later.disabled = range[1] >= whole[1];
      label.textContent = all ? `${t.entries.length} entries in ${((whole[1] - whole[0]) / 1000).toFixed(1)} s${matchMedia("(pointer: fine)").matches ? "; drag across the chart to zoom in" : ""}` :
        `${seconds(range[0])} to ${seconds(range[1])}`;
      paintChart();
    }

    function paintChart() {
      const width = Math.max(280, chart.clientWidth), narrow = width < 560;
      const left = narrow ? 10 : 200, right = 10, top = 26, height = narrow ? 40 : 26, bar = 14;
      x = at => left + (at - range[0]) / length() * (width - left - right);
      const h = top + lanes.length * height + 6;
      const root = svg("svg", {viewBox: `0 0 ${width} ${h}`, height: h, role: "img", "aria-label": `Chart of the timeline: ${lanes.map(l => `${sources[l.source]} ${l.object}`.trim()).join(", ")}. The list below has the same entries.`});
      for (const at of ticks(range, (width - left - right) / 90)) {
        root.append(svg("line", {class: "grid", x1: x(at), x2: x(at), y1: top - 6, y2: h}));
        if (x(at) < width - 28) root.append(svg("text", {class: "tick", x: x(at) + 3, y: 14}, seconds(at, digits(length()))));
      }
      lanes.forEach((lane, i) => {
        const y0 = top + i * height, y = y0 + (narrow ? 18 : (height - bar) / 2);
        root.append(svg("line", {class: "row", x1: 0, x2: width, y1: y0, y2: y0}));
        const text = svg("text", {x: 10, y: narrow ? y0 + 13 : y + 11});
        const name = lane.object ? singular[lane.source] : sources[lane.source];
        text.append(svg("tspan", {class: lane.object ? "kind" : "lane"}, name + " "), svg("tspan", {class: "lane"}, short(lane.object, Math.max(8, 26 - name.length))));
        const marks = svg("g", {class: lane.source});
        if (lane.source === "pod" || lane.source === "claim") states(marks, lane, y);
        for (const e of lane.entries) mark(marks, e, y);
        root.append(marks, text);
      });
      if (!narrow) root.append(svg("line", {class: "grid", x1: left - 8, x2: left - 8, y1: 0, y2: h}));
      line = svg("line", {class: "cursor", y1: top - 6, y2: h, style: "display:none"});
      root.append(line);
      interact(root, left, width - right, h, top);
      chart.replaceChildren(root);

      // What a pod or a claim was, from each change to the next.
      function states(g, lane, y) {
        const changes = lane.entries.filter(e => e.state);
        const lives = {Deleted: 0, Pending: .28, Terminating: .45};
        for (let i = 0; i < changes.length; ) {
          let j = i + 1;
          while (j < changes.length && changes[j].state === changes[i].state) j++;
          const state = changes[i].state, opacity = lives[state] ?? 1;
          const from = Math.max(left, x(changes[i].at)), to = Math.min(width - right, x(j < changes.length ? changes[j].at : whole[1]));
          if (opacity && to > from) {
            g.append(svg("rect", {class: "fill", x: from, y, width: to - from, height: bar, opacity, rx: 2}));
            say(g, from, to, y, state, opacity < 1);
          }
          i = j;
        }
      }

      // A word in a bar, where it fits.
      function say(g, from, to, y, text, light) {
        if (to - from > text.length * 6.5 + 10) g.append(svg("text", {class: "inbar" + (light ? " on-light" : ""), x: from + 5, y: y + 11}, text));
      }

      function mark(g, e, y) {
        const at = x(e.at), end = e.open ? width - right : Math.min(width - right, x(e.at + e.took));
        if (end < left || at > width - right) return;
        const style = e.severity ? {style: `--c:var(--${e.severity === "error" ? "failed" : "warning"})`} : {};
        const from = Math.max(left, at), data = {"data-entry": e.i, ...style};
        switch (e.source) {
        case "driver":
          g.append(svg("rect", {class: "fill", x: from, y, width: Math.max(3, end - from), height: bar, rx: 2, opacity: e.open ? .5 : 1, ...data}));
          say(g, from, end, y, /^Node(Un)?prepare/i.exec(e.text)?.[0].replace("Node", "") + (e.open ? ", not answered" : e.severity ? ", failed" : ""), e.open);
          break;
        case "scheduler": case "kubelet":
          g.append(svg("line", {class: "line", x1: from, x2: from, y1: y + (e.severity ? 0 : 3), y2: y + bar - (e.severity ? 0 : 3), "stroke-width": e.severity ? 2 : 1, opacity: e.severity ? 1 : .55, ...data}));
          break;
        case "event": case "slice":
          g.append(e.severity ? svg("path", {class: "fill", d: `M${from} ${y + 1}l6 11h-12z`, ...data}) : svg("circle", {class: "fill", cx: from, cy: y + bar / 2, r: 4, ...data}));
          break;
        case "pod": case "claim":
          if (e.state) g.append(svg("line", {class: "line", x1: from, x2: from, y1: y, y2: y + bar, "stroke-width": 1.5, ...data}));
          break;
        default:
          if (e.severity) g.append(svg("path", {class: "line", d: `M${from - 5} ${y + 2}l10 10m0 -10l-10 10`, "stroke-width": 2.5, ...data}));
          else g.append(svg("line", {class: "line", x1: from, x2: from, y1: y + (e.object ? 4 : 0), y2: y + bar - (e.object ? 4 : 0), "stroke-width": e.object ? 1 : 2, ...data}));
        }
      }
    }

    // The mouse: what is near is told, a click leads to its row, a drag zooms in.
    function interact(root, left, right, h, top) {
      const at = e => range[0] + (e.offsetX - left) / (right - left) * length();
      let began = null, box;
      root.addEventListener("pointerdown", e => {
        if (e.pointerType === "touch" || e.offsetX < left) return;
        began = e.offsetX;
        root.setPointerCapture(e.pointerId);
      });
      root.addEventListener("pointermove", e => {
        if (began !== null && Math.abs(e.offsetX - began) > 4) {
          if (!box) root.append(box = svg("rect", {class: "window", y: top - 6, height: h}));
          const to = Math.max(left, Math.min(right, e.offsetX));
          box.setAttribute("x", Math.min(began, to));
          box.setAttribute("width", Math.abs(to - began));
          tell(null);
          return;
        }
        cursor(e.offsetX < left ? null : at(e));
        tell(near(e), e);
      });
      root.addEventListener("pointerup", e => {
        if (box) {
          const a = at({offsetX: began}), b = at({offsetX: Math.max(left, Math.min(right, e.offsetX))});
          zoom(Math.min(a, b), Math.max(a, b));
        } else if (near(e)) {
          goTo(near(e));
        }
        began = box = null;
      });
      root.addEventListener("pointerleave", () => { cursor(null); tell(null); });
      function near(e) {
        const lane = lanes[Math.floor((e.offsetY - top) / ((h - top - 6) / lanes.length))];
        if (!lane || e.offsetX < left) return null;
        let best = null, distance = 12;
        for (const o of lane.entries) {
          const d = e.offsetX < x(o.at) ? x(o.at) - e.offsetX : Math.max(0, e.offsetX - x(o.at + o.took));
          if (d < distance) { best = o; distance = d; }
        }
        return best;
      }
    }

    function goTo(e) {
      if (!boxes[e.source].checked) { boxes[e.source].checked = true; list(); }
      all(".lit", entries).forEach(l => l.classList.remove("lit"));
      const li = $(`[data-entry="${e.i}"]`, entries);
      if (!li) return;
      li.classList.add("lit");
      li.scrollIntoView({block: "center"});
    }

    const tip = html("div", {className: "tip", hidden: true, ariaHidden: "true"});
    section.append(tip);
    function tell(e, where) {
      tip.hidden = !e;
      if (!e) return;
      tip.textContent = `${seconds(e.at)}  ${short(e.text, 220)}`;
      tip.style.left = Math.min(where.clientX + 14, innerWidth - Math.min(480, innerWidth * .9) - 8) + "px";
      tip.style.top = where.clientY + 16 + "px";
    }

    paint();
    list();
    new ResizeObserver(entries => { if (entries[0].contentRect.width) paintChart(); }).observe(chart);
  }

  const digits = length => length < 200 ? 3 : length < 5000 ? 1 : 0;

  // Times at which the axis has a line: about n, of a round distance.
  function ticks([from, to], n) {
    const rough = (to - from) / Math.max(2, n), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map(f => f * power).find(s => s >= rough), found = [];
    for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
    return found;
  }

  route();
})();
