package spec

import "strings"

// Names is whether a text has a driver's name in it, but not as a part of a longer word.
func Names(driver, text string) bool {
	if driver == "" {
		return false
	}
	word := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }
	for at := 0; ; at++ {
		i := strings.Index(text[at:], driver)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(driver)
		if (at == 0 || !word(text[at-1])) && (end == len(text) || !word(text[end])) {
			return true
		}
	}
}
