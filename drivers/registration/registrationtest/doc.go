// Package registrationtest is a driver that registers and does nothing else, for tests.
package registrationtest
