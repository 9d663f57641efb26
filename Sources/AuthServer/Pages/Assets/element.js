// <ostiary-login src="…">: the login page in a frame of the site that loads this module. `src` is what openPage answered to `"framed": true`.
//
// The site hears `state`, `returned`, `cancelled` and `error`. Where `returned` and `cancelled` have an address in `detail.url`, which is one of the
// site itself, the window goes there unless the event is prevented: that of `returned` has the return code in it, and is good once.

const home = new URL(import.meta.url).origin;
/** Milliseconds after which a frame that says nothing is one that the browser refuses to show, or that cannot be reached. */
const patience = 15_000;
/** Of a page of the site. Each that waits holds a connection, and over HTTP/1.1 browsers have six to one server: with more nothing else gets through. */
const most = 4;
/** States with which nothing goes on in the frame: the ticket was good no more, the page's time is over, the browser keeps no cookie for it. */
const ends = ["closed", "over", "cookies"];

const sheet = new CSSStyleSheet();
sheet.replaceSync(`
  :host { display: block; max-width: 28rem }
  :host([hidden]) { display: none }
  iframe { display: block; box-sizing: border-box; width: 100%; height: 30rem; border: 0; border-radius: 1.25rem }
`);

/** Null for what is no whole address. */
function parsed(text) {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}

class OstiaryLogin extends HTMLElement {
  static observedAttributes = ["src", "theme"];
  static #frames = 0;

  #root = this.attachShadow({ mode: "open" });
  #frame = null;
  #waiting = 0;
  #isHere = false;
  #hear = (event) => this.#heard(event);

  connectedCallback() {
    this.#isHere = true;
    this.#root.adoptedStyleSheets = [sheet];
    addEventListener("message", this.#hear);
    this.#open();
  }

  disconnectedCallback() {
    this.#isHere = false;
    removeEventListener("message", this.#hear);
    this.#close();
  }

  attributeChangedCallback(name) {
    if (this.#isHere && name === "src") this.#open();
    else if (this.#frame) this.#dress();
  }

  #open() {
    this.#close();
    const src = this.getAttribute("src");
    if (!src) return;
    const address = parsed(src);
    if (address?.origin !== home) return this.#tell("error", { reason: "src" });
    if (OstiaryLogin.#frames === most) return this.#tell("error", { reason: "busy" });
    OstiaryLogin.#frames += 1;
    // What the element is given counts before what the backend wrote into the address, and that before what is around the element.
    const { searchParams } = address;
    const language = this.lang || (!searchParams.has("lang") && this.closest("[lang]")?.lang);
    if (language) searchParams.set("lang", language);
    const frame = document.createElement("iframe");
    frame.title = new URL(home).host;
    // For the site's own style: `ostiary-login::part(frame)`.
    frame.part = "frame";
    frame.addEventListener("load", () => {
      // What is loaded when the page is left meanwhile is nothing, and of this origin.
      if (frame.contentDocument?.URL !== "about:blank") frame.contentWindow?.postMessage({ ostiary: "hello" }, home);
    });
    frame.src = address.href;
    this.#frame = frame;
    this.#dress();
    this.#waiting = setTimeout(() => this.#tell("error", { reason: "refused" }), patience);
    this.#root.append(frame);
  }

  #close() {
    clearTimeout(this.#waiting);
    if (!this.#frame) return;
    OstiaryLogin.#frames -= 1;
    this.#frame.remove();
    this.#frame = null;
  }

  /** What the page takes for the person's wish of light or dark. */
  #dress() {
    const theme = this.getAttribute("theme");
    this.#frame.style.colorScheme = ["light", "dark"].includes(theme) ? theme : "";
  }

  #heard({ source, origin, data }) {
    if (!this.#frame || source !== this.#frame.contentWindow || origin !== home) return;
    clearTimeout(this.#waiting);
    switch (data?.ostiary) {
      case "height":
        // The site may have given it a border.
        if (data.height > 0 && data.height < 5000)
          this.#frame.style.height = `${Math.ceil(data.height) + this.#frame.offsetHeight - this.#frame.clientHeight}px`;
        break;
      case "state":
        // Which state is shown is read in the frame: not all of them are told here, and a name that were one would stay behind.
        this.#frame.title = `${data.title} · ${new URL(home).host}`;
        this.#tell(...(ends.includes(data.state) ? ["error", { reason: data.state }] : ["state", { state: String(data.state) }]));
        break;
      case "returned":
      case "cancelled":
        this.#lead(data.ostiary, data.url);
    }
  }

  /** Goes where the page leads, if that is a place of this site, and nobody else wants to. */
  #lead(name, url) {
    const isOurs = parsed(url)?.origin === location.origin;
    if (this.#tell(name, isOurs ? { url } : {}) && isOurs) location.assign(url);
  }

  #tell(name, detail) {
    return this.dispatchEvent(new CustomEvent(name, { detail, cancelable: true }));
  }
}

// Loaded twice, by two addresses, the first one counts.
customElements.get("ostiary-login") ?? customElements.define("ostiary-login", OstiaryLogin);
