// Package requirements has Kubernetes' promises checked by cases, one or more files per document,
// in our words and with their sources. Its ledgers index each document's promises line by line, so
// that none is missed; open.yaml lists the promises without a case.
package requirements
