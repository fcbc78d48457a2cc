// Package fields says in which fields two values differ, by the names that the fields
// have in JSON.
package fields
