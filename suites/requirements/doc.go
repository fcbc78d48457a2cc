// Package requirements holds the promises of Kubernetes that cases check, one or
// more files per document, in our words and with the place where each is made. Its
// ledgers say line by line which promises a document makes, so that none is lost;
// open.yaml lists those that no case checks yet.
package requirements
