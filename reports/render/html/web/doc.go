// Package web tests report.html in a browser: headless Chromium, driven by chromedp, with
// axe-core for what a screen reader needs. It is a module of its own, so that nobody who
// imports dratest needs either; "make test-web" runs it.
package web
