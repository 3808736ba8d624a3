// The script of the county's scripted variant. Plain functions; `library` comes from library.js.
(() => {
  const { element } = library;
  const settings = JSON.parse(document.getElementById("settings").textContent);
  const app = document.getElementById("app");
  const has = (name) => settings.switches.includes(name);

  /** `shown` when there is something to read, `failed` when a request failed; neither while the page is loading. */
  const settle = (state) => {
    app.setAttribute("aria-busy", "false");
    app.className = state;
  };
  const ready = () => settle("shown");
  const clear = () => app.replaceChildren();
  const showError = (text) => {
    clear();
    app.append(element("div", { class: "error", role: "alert" }, [text]));
    settle("failed");
  };

  /** Answers are never taken from the cache: another tab's pending request would hold this one. */
  const askFor = async (url, options = {}) => {
    const response = await fetch(url, { cache: "no-store", ...options });
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    return response.json();
  };

  const refuseToLeave = (event) => {
    event.preventDefault();
    event.returnValue = "";
  };

  // Search

  const showSearch = () => {
    const form = document.getElementById("search");
    form.hidden = false;
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      navigator.sendBeacon("/api/ping", JSON.stringify({ view: "search", at: Date.now() }));
      search(form).catch((error) => showError(error.message));
    });
    ready();
  };

  const search = async (form) => {
    document.getElementById("results")?.remove();
    app.setAttribute("aria-busy", "true");
    app.className = "";
    const { hits, unsaved } = await askFor("/api/search", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "x-csrf-token": document.querySelector('meta[name="csrf-token"]').content,
      },
      body: JSON.stringify({
        parcel: form.elements.parcel.value.trim(),
        year: form.elements.year.value,
        form: form.elements.form.value,
      }),
    });
    if (unsaved) addEventListener("beforeunload", refuseToLeave);
    app.append(
      hits.length === 0
        ? element("div", { id: "results", class: "no-results" }, [
            "No property found. Please check the parcel number & try again.",
          ])
        : element("table", { id: "results", class: "grid" }, hits.map(hitRow)),
    );
    ready();
  };

  const hitRow = (hit) =>
    element("tr", {}, [
      element("td", {}, [hit.parcel]),
      element("td", {}, [hit.owner]),
      element("td", {}, [
        element(
          "a",
          {
            class: "detail",
            href: `/app/property?ref=${encodeURIComponent(hit.reference)}`,
            ...(has("popup") ? { target: "_blank" } : {}),
          },
          ["View account"],
        ),
      ]),
    ]);

  // Property

  const PLACES = {
    parcel: ["Parcel Number", { id: "lblParcel" }],
    owner: ["Owner Name", { class: "val owner" }],
    situs: ["Situs Address", { class: "val situs" }],
    legalClass: ["Legal Class", { class: "val legal-class" }],
    marketValue: ["Market Value", { id: "market", class: "val num" }],
    assessedValue: ["Assessed Value", { id: "assessed", class: "val num" }],
    taxYear: ["Tax Year", { id: "taxyear", class: "val" }],
    taxRate: ["Total Tax Rate", { class: "val num rate" }],
    taxDue: ["Total Tax Due", { id: "taxdue", class: "val num" }],
    dueDate: ["Delinquent After", { class: "val due-date" }],
  };

  const lines = (text) =>
    text.split("\n").flatMap((line, index) => (index === 0 ? [line] : [element("br"), `\n${line}`]));

  const table = (id, rows, moved) =>
    element("table", { id, class: "detail" }, [
      element(
        "tbody",
        {},
        Object.entries(rows).map(([name, text]) => {
          const [label, place] = PLACES[name];
          return element("tr", { class: "detail-row" }, [
            element("td", { class: "lbl" }, [`${label}:`]),
            element("td", moved.includes(name) ? { class: "val v2-amount" } : place, lines(text)),
          ]);
        }),
      ),
    ]);

  const historyTable = (rows) =>
    element("table", { id: "history", class: "grid" }, [
      element(
        "tbody",
        {},
        rows.map(({ year, billed, paidOn }) =>
          element(
            "tr",
            {},
            [year, billed, billed, paidOn, "PAID"].map((text) => element("td", {}, [String(text)])),
          ),
        ),
      ),
    ]);

  const cardsView = ({ street, cards, history }) => [
    element("section", { class: "property-hero" }, [element("h2", {}, [street])]),
    element(
      "div",
      { class: "cards" },
      cards.map(([label, text]) =>
        element("div", { class: "card" }, [
          element("span", { class: "card__label" }, [label]),
          element("span", { class: "card__text" }, [text]),
        ]),
      ),
    ),
    historyTable(history),
  ];

  const tablesView = ({ account, values, taxes, exemptions, moved = [], notice, bill, history }) => [
    element("h2", {}, ["Property Tax Account"]),
    ...(notice === undefined ? [] : [element("div", { class: "notice" }, [notice])]),
    table("account", account, moved),
    within("county-values", [table("values", values, moved), table("taxes", taxes, moved)]),
    ...(exemptions === undefined
      ? []
      : [
          element(
            "ul",
            { class: "exemptions" },
            exemptions.map((one) => element("li", { class: "exemption" }, [one])),
          ),
        ]),
    element("p", { class: "links" }, [
      element("a", { class: "bill-pdf", href: bill }, ["Print tax bill (PDF)"]),
    ]),
    historyTable(history),
  ];

  /** The parts in an open shadow root of a new element, if the site is made that way. */
  const within = (tag, parts) => {
    const host = element(tag);
    (has("shadow") ? host.attachShadow({ mode: "open" }) : host).append(...parts);
    return host;
  };

  const signatureOf = async (reference) => {
    const minute = Math.floor(Date.now() / 60_000);
    const bytes = new TextEncoder().encode(`${reference}${settings.key}${minute}`);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  };

  const MISCHIEF = {
    loop() {
      for (;;);
    },
    dialogs() {
      for (let i = 0; i < 20; i++) {
        alert(`Notice ${i}`);
        confirm(`Do you agree to terms ${i}?`);
        prompt(`Your answer to question ${i}`);
      }
    },
    popups({ popups }) {
      for (let i = 0; i < popups; i++) open("about:blank", `window-${i}`, "width=200,height=200");
    },
    unload() {
      addEventListener("beforeunload", refuseToLeave);
    },
  };

  const showProperty = async () => {
    const { reference } = settings;
    if (settings.frame !== undefined) {
      const frame = element("iframe", { src: settings.frame, title: "Property" });
      frame.addEventListener("load", ready);
      app.append(frame);
      return;
    }
    const query = has("signed") ? `?sig=${await signatureOf(reference)}` : "";
    const property = await askFor(`/api/property/${encodeURIComponent(reference)}${query}`);
    MISCHIEF[property.first]?.(property);
    clear();
    app.append(
      within("county-property", property.layout === "cards" ? cardsView(property) : tablesView(property)),
    );
    ready();
  };

  // List: more rows come when the end of the list is scrolled into view

  const showList = () => {
    const rows = element("tbody", { id: "rows" });
    const sentinel = element("div", { id: "sentinel" });
    app.append(element("table", { class: "grid" }, [rows]), sentinel);
    let next = 0;
    let isLoading = false;
    const loadMore = async () => {
      if (isLoading || next === null) return;
      isLoading = true;
      const more = await askFor(`/api/list?from=${next}`);
      rows.append(...more.hits.map(hitRow));
      next = more.next;
      isLoading = false;
      observer.unobserve(sentinel);
      // Observed again: the sentinel may still be in view, which is no change.
      if (next !== null) return observer.observe(sentinel);
      sentinel.replaceWith(element("p", { id: "end-of-list" }, [`${rows.children.length} properties`]));
    };
    const observer = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting))
        loadMore().then(ready, (error) => showError(error.message));
    });
    observer.observe(sentinel);
  };

  const VIEWS = { search: showSearch, property: showProperty, list: showList };
  Promise.resolve(VIEWS[settings.view]()).catch((error) => showError(error.message));
})();
