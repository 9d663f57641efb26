"""How a page looks, for the scripts that try pages: on every width, with large letters, in light, in the dark and in a person's own colours."""

from page_axe import nothing_found
from trial import check


def look(browser, name):
    """The same page on a desktop, on an ordinary and on the narrowest phone, with large letters, in the dark and in the colours that a person forces on
    it: nothing is cut off, all text can be read, and axe finds nothing."""
    browser.picture(f"{name}-desktop")
    for width, words in ((1280, "wide"), (390, "phone"), (320, "narrow")):
        browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=780, deviceScaleFactor=2, mobile=width < 1000)
        fits(browser, width, name)
        browser.picture(f"{name}-{words}")
    for width in (1280, 390):
        browser.devtools("Emulation.setDeviceMetricsOverride", width=width, height=780, deviceScaleFactor=1, mobile=width < 1000)
        browser.run("document.documentElement.style.fontSize = '200%'")
        fits(browser, width, f"{name} with letters of twice the size")
        browser.picture(f"{name}-large-{width}")
        browser.run("document.documentElement.style.fontSize = ''")
    browser.devtools("Emulation.clearDeviceMetricsOverride")
    for scheme in ("light", "dark"):
        browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        worst = browser.run(CONTRAST)
        check(worst["ratio"] >= 4.5, f"{name}: text has contrast {worst['ratio']:.1f} or more ({scheme})")
        nothing_found(browser, f"{name} ({scheme})")
        if scheme == "dark":
            browser.picture(f"{name}-dark")
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    check(browser.run("return matchMedia('(forced-colors: active)').matches"), f"{name}: a person's own colours")
    nothing_found(browser, f"{name} (forced colours)")
    browser.picture(f"{name}-forced")
    browser.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])


def fits(browser, width, name):
    """Nothing is wider than the window, nor than its own place."""
    check(browser.run("return document.documentElement.scrollWidth") <= width, f"{name}: fits into {width} pixels")
    cut = browser.run(CUT)
    check(not cut, f"{name}: nothing is cut off {cut or ''}")


# Visible elements whose content is wider than they are. A field scrolls by itself, and so does what can be reached by the keyboard to be scrolled.
CUT = """
const scrolls = (place) => place.tabIndex >= 0 && ["auto", "scroll"].includes(getComputedStyle(place).overflowX);
return [...document.querySelectorAll("main *:not(svg, svg *, input), footer, header")]
  .filter((place) => place.checkVisibility() && place.clientWidth > 1 && place.scrollWidth > place.clientWidth + 1 && !scrolls(place))
  .map((place) => place.outerHTML.slice(0, 80));
"""
# The lowest contrast (WCAG 2.2, 1.4.3) of any visible text against the nearest ground behind it.
CONTRAST = """
const parse = (colour) => { const n = colour.match(/[\\d.]+/g).map(Number); return { rgb: n.slice(0, 3), alpha: n[3] ?? 1 }; };
const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.alpha === 1) return c.rgb; } return [255, 255, 255]; };
let worst = { ratio: 21, text: "" };
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const e = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
  if (!text || !e.checkVisibility() || e.closest(".unseen, noscript, svg")) continue;
  const [a, b] = [light(parse(getComputedStyle(e).color).rgb), light(ground(e))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < worst.ratio) worst = { ratio, text };
}
return worst;
"""
