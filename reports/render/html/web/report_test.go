/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// failedCase is a failed case of testdata.
const failedCase = "core/one-device-v1beta1"

func TestFilter(t *testing.T) {
	b := open(t, desktop, "")
	whole := b.ids()
	if len(whole) < 10 {
		t.Fatalf("the table has only %q", whole)
	}
	b.screenshot("summary")

	b.click(`.chip.failed`)
	failed := b.ids()
	if len(failed) == 0 || len(failed) == len(whole) || !slices.Contains(failed, failedCase) {
		t.Errorf("failed cases: %q", failed)
	}
	if got := eval[string](b, `location.hash`); got != "#status=failed" {
		t.Errorf("address: %s", got)
	}
	b.click(`.chip.known`)
	if got := b.ids(); len(got) <= len(failed) {
		t.Errorf("two outcomes leave %q, one %q", got, failed)
	}
	b.screenshot("filtered")
	b.run(chromedp.Click(chromedp.CSS(`.chip.known`)), chromedp.Click(chromedp.CSS(`.chip.failed`)), chromedp.SetValue(chromedp.CSS(`[name=area]`), "node"),
		chromedp.Evaluate[chromedp.Void](`document.forms[0].area.dispatchEvent(new Event("input", {bubbles: true}))`))
	for _, id := range b.ids() {
		if !strings.HasPrefix(id, "node/") {
			t.Errorf("area node has %s", id)
		}
	}
	b.run(chromedp.SendKeys(chromedp.CSS(`[name=q]`), "no such thing"))
	b.await(`document.querySelector(".none").getClientRects().length > 0`)
	if got := eval[string](b, `document.querySelector("#shown").textContent`); !strings.HasPrefix(got, "0 of ") {
		t.Errorf("the number of cases is told as %q", got)
	}
	b.click(`.none button`)
	if got := b.ids(); !slices.Equal(got, whole) {
		t.Errorf("without a filter: %q", got)
	}
	b.run(chromedp.SetValue(chromedp.CSS(`[name=level]`), "SHOULD"), chromedp.Evaluate[chromedp.Void](`document.forms[0].level.dispatchEvent(new Event("input", {bubbles: true}))`))
	if got := b.ids(); len(got) == 0 || len(got) == len(whole) {
		t.Errorf("level SHOULD: %q", got)
	}
}

// TestKeyboard finds and opens a case by keyboard.
func TestKeyboard(t *testing.T) {
	b := open(t, desktop, "")
	b.run(chromedp.Focus(chromedp.CSS(`[name=q]`)), chromedp.KeyEvent("one-device-v1beta1"))
	b.await(`[...document.querySelectorAll("tbody tr")].filter(r => !r.hidden).length === 1`)
	for range 10 {
		b.run(chromedp.KeyEvent(kb.Tab))
		if eval[bool](b, `document.activeElement.closest("tbody") !== null`) {
			break
		}
	}
	b.run(chromedp.KeyEvent(kb.Enter))
	b.await(`!document.querySelector("#pages").hidden`)
	if got := eval[string](b, `document.activeElement.textContent`); got != failedCase {
		t.Errorf("the focus is on %q", got)
	}
	b.run(chromedp.KeyEvent(kb.Escape))
	b.await(`!document.querySelector("#overview").hidden`)
	if got := b.ids(); !slices.Equal(got, []string{failedCase}) {
		t.Errorf("the filter did not stay: %q", got)
	}
	if got := eval[string](b, `document.activeElement.closest("tr")?.dataset.id ?? ""`); got != failedCase {
		t.Errorf("the focus is on %q", got)
	}
}

func TestTimeline(t *testing.T) {
	b := open(t, desktop, "#case="+failedCase)
	b.await(`document.querySelectorAll(".case:not([hidden]) .entries li").length > 10`)
	b.screenshot("failed-case")
	b.do(`document.querySelector(".case:not([hidden]) .timeline").scrollIntoView()`)
	b.screenshot("timeline")
	text := eval[string](b, `document.querySelector(".case:not([hidden])").innerText`)
	for _, want := range []string{"What went wrong", "Requirements", "MUST", "KEP-4381", "NodePrepareResources", "Evidence", "steps.txt", "Driver calls", "Kubelet log", "Scheduler log"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := eval[int](b, `document.querySelectorAll(".case:not([hidden]) .chart svg [data-entry]").length`); n < 20 {
		t.Errorf("the chart has %d marks", n)
	}
	// All marks are inside the chart.
	if out := eval[int](b, `(() => { const c = document.querySelector(".case:not([hidden]) .chart").getBoundingClientRect();
		return [...document.querySelectorAll(".case:not([hidden]) .chart [data-entry]")].filter(m => { const r = m.getBoundingClientRect(); return r.left < c.left - 6 || r.right > c.right + 6 }).length })()`); out > 0 {
		t.Errorf("%d marks lie outside of the chart", out)
	}
	entries := `document.querySelectorAll(".case:not([hidden]) .entries li").length`
	before := eval[int](b, entries)
	b.run(chromedp.Click(chromedp.CSS(`.case:not([hidden]) [aria-label="Zoom in"]`)), chromedp.Click(chromedp.CSS(`.case:not([hidden]) [aria-label="Zoom in"]`)))
	if after := eval[int](b, entries); after >= before {
		t.Errorf("a quarter of the time has %d entries, all has %d", after, before)
	}
	b.run(chromedp.Click(chromedp.CSS(`.case:not([hidden]) [aria-label="Whole case"]`)), chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".case:not([hidden]) .sources input")].filter(i => !i.checked).forEach(i => i.click())`))
	if after := eval[int](b, entries); after <= before {
		t.Errorf("with the logs there are %d entries, without %d", after, before)
	}
	b.click(`.back a`)
	b.await(`!document.querySelector("#overview").hidden`)
}

// TestLooks checks the table and a case in each configuration for axe findings and overflow.
func TestLooks(t *testing.T) {
	for _, l := range []look{desktop, dark, phone, {name: "phone-dark", width: 390, height: 844, touch: true, dark: true}} {
		t.Run(l.name, func(t *testing.T) {
			b := open(t, l, "")
			b.accessible()
			b.fits()
			b.screenshot(l.name + "-summary")
			b.do(`location.hash = "#case=` + failedCase + `"`)
			b.await(`document.querySelectorAll(".case:not([hidden]) .entries li").length > 10`)
			b.accessible()
			b.fits()
			b.screenshot(l.name + "-case")
			b.do(`document.querySelector(".case:not([hidden]) .timeline").scrollIntoView()`)
			b.screenshot(l.name + "-timeline")
		})
	}
}

// fits fails if the page is wider than the window.
func (b *tab) fits() {
	b.t.Helper()
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		b.t.Errorf("the page is %d pixels wider than the window", over)
	}
}

// visible returns the displayed pages of cases.
func visible(b *tab) []string {
	b.t.Helper()
	return eval[[]string](b, `[...document.querySelectorAll(".case")].filter(a => a.getClientRects().length).map(a => a.dataset.id)`)
}

// Without a script the page had no failures or reasons, and broken links.
func TestWithoutScript(t *testing.T) {
	l := phone
	l.noScript = true
	b := open(t, l, "#case="+failedCase)
	if shown, all := visible(b), b.ids(); len(shown) != len(all) || !slices.Contains(shown, failedCase) {
		t.Errorf("%d pages of %d cases are shown", len(shown), len(all))
	}
	if top := eval[float64](b, `document.getElementById("case=`+failedCase+`").getBoundingClientRect().top`); top < -5 || top > 100 {
		t.Errorf("the link leads to %.0f px from the case", top)
	}
	if n := eval[int](b, `[...document.querySelectorAll("form,.back,.chip")].filter(e => e.getClientRects().length).length`); n > 0 {
		t.Errorf("%d elements need a script", n)
	}
	if over := eval[int](b, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("the page is %d px wider than the window", over)
	}
	b.screenshot("no-script")
}

// The printed overview lacked failures.
func TestPrint(t *testing.T) {
	l := desktop
	l.media = "print"
	b := open(t, l, "")
	if shown := visible(b); !slices.Contains(shown, failedCase) || len(shown) >= len(b.ids()) {
		t.Errorf("printed with %q", shown)
	}
	alone := open(t, l, "#case="+failedCase)
	if shown := visible(alone); !slices.Equal(shown, []string{failedCase}) {
		t.Errorf("a case is printed as %q", shown)
	}
}
