  // The view of a page in the fragment of its address, so that a copied link opens it again. It
  // holds what a reader has changed, as "names0=mol-ts&sort1=2+descending"; no anchor has a "=".

  const parts = new Map();
  const watchers = []; // called after each change

  // Add a part of the view, with what it looks like at `place`. `read` gives its texts, none where
  // nothing is changed; `show` takes such texts, any of which may be wrong.
  function keep(key, place, read, show) {
    parts.set(key, { place, read, show, kept: "" });
  }

  function linkTo(firstKey) {
    const view = new URLSearchParams();
    for (const key of new Set([firstKey, ...parts.keys()])) {
      for (const text of parts.get(key).read()) view.append(key, text);
    }
    const [page] = location.href.split("#");
    return `${view}` ? `${page}#${view}` : page;
  }

  function changed(key) {
    const part = parts.get(key);
    const texts = JSON.stringify(part.read());
    // Details say that they are open when the page is loaded, too.
    if (texts === (part.kept || "[]")) return;
    part.kept = texts;
    history.replaceState(null, "", linkTo(key));
    for (const watch of watchers) watch();
  }

  function openLink() {
    if (!location.hash.includes("=")) return;
    const view = new URLSearchParams(location.hash.slice(1));
    for (const [key, part] of parts) {
      part.show(view.getAll(key));
      part.kept = JSON.stringify(part.read());
    }
    for (const watch of watchers) watch();
    // What was changed last comes first.
    const [first] = view.keys();
    parts.get(first)?.place.scrollIntoView();
  }

  function offerLink(place, keys) {
    if (!navigator.clipboard) return; // the address has the same link
    const own = keys.filter((key) => parts.has(key));
    const button = add(place, "button", "download", "Copy link");
    button.type = "button";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(linkTo(own[0]));
      button.textContent = "Link copied";
      setTimeout(() => (button.textContent = "Copy link"), 2_000);
    });
    const watch = () => {
      button.hidden = !own.some((key) => parts.get(key).read().length);
    };
    watchers.push(watch);
    watch();
  }
