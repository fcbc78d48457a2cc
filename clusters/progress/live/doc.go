// Package live shows in a terminal what goes on at the moment: a few lines at the
// bottom that are drawn anew, while finished lines scroll away above them. Where there
// is no terminal for that, nothing of it happens. Start with On.
package live
