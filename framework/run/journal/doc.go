// Package journal is the file through which the processes of a run tell what
// happens: each appends whole lines of JSON, and one reads along.
package journal
