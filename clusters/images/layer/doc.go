// Package layer makes image layers out of lists of files. The same list gives
// the same bytes, whoever builds it and when. It keeps no files of its own: a
// layer is written while it is read. Start at Entry.
package layer
