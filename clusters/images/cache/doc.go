// Package cache is the folder in which builds keep their results, so that a
// second run resumes where a first one stopped: a file is there completely or
// not at all. It knows nothing of what the files mean. Start at Open.
package cache
