package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/clusters/images"
	"github.com/dra-conformance/dratest/clusters/progress"
	"github.com/dra-conformance/dratest/clusters/versions"
)

func newImagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Build, list and remove node images",
		Args:  cobra.NoArgs,
	}
	cmd.AddCommand(newImagesBuildCommand())
	return cmd
}

func newImagesBuildCommand() *cobra.Command {
	var wanted []string
	cmd := &cobra.Command{
		Use:   "build",
		Short: "Build node images from Go modules and Debian packages",
		Long: `Build node images from Go modules and Debian packages.

What is there already is not built again; a run that was cut short is resumed.
The first build takes about 15 minutes on two cores, needs 15 GiB of disk, Go,
root and debootstrap, and fetches from the Go module proxy and deb.debian.org
(or the mirror in $DRATEST_DEBIAN_MIRROR). Results are kept in $DRATEST_CACHE or
the user's cache folder.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var selected []versions.Version
			for _, v := range wanted {
				if v == "all" {
					selected = versions.All()
					break
				}
				known, err := versions.Lookup(v)
				if err != nil {
					return err
				}
				selected = append(selected, known)
			}
			if len(wanted) == 0 {
				selected = append(selected, versions.Newest())
			}
			p := progress.New(cmd.ErrOrStderr())
			for _, v := range selected {
				ref, err := images.Node(cmd.Context(), images.Options{Version: v.Kubernetes, Restricted: images.Restricted(), Progress: p})
				if err != nil {
					return err
				}
				if _, err := fmt.Fprintln(cmd.OutOrStdout(), ref); err != nil {
					return fmt.Errorf("print the image's name: %w", err)
				}
			}
			return nil
		},
	}
	cmd.Flags().StringSliceVar(&wanted, "version", nil, `Kubernetes version, or "all"; repeatable (default the newest)`)
	return cmd
}
