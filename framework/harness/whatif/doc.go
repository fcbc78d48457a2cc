// Package whatif asks dra-whatif for cases, and adds the nodes that it answered.
package whatif
