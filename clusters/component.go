package clusters

import "io"

// ComponentImage is a container image of one of this project's components, which
// takes the place of Kubernetes' own image in a static pod.
type ComponentImage struct {
	// Ref names exactly this content.
	Ref string
	// Archive writes the image as an archive that container runtimes import.
	Archive func(w io.Writer) error
	// Kubernetes is the version that the component reports.
	Kubernetes string
	// Args are added to the stock component's arguments.
	Args []string
}
