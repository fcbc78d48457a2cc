// Package admission has API servers refuse what a case tries: by quotas and by admission policies.
package admission
