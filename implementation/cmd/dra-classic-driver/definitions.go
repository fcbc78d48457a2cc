package main

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/dra-conformance/dratest/implementation/classic/crd"
	"github.com/dra-conformance/dratest/implementation/classic/policy"
)

func definitionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "definitions",
		Short: "Print what a cluster needs for classic DRA",
		Long: "definitions prints the CustomResourceDefinitions and the admission policies of classic DRA as YAML, for\n" +
			"\"kubectl apply -f -\".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printDefinitions(cmd.OutOrStdout()) },
	}
}

func printDefinitions(out io.Writer) error {
	for _, files := range []fs.FS{crd.Files, policy.Files} {
		names, err := fs.Glob(files, "*.yaml")
		if err != nil {
			return fmt.Errorf("list the definitions: %w", err)
		}
		for _, name := range names {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				return fmt.Errorf("read the definitions: %w", err)
			}
			if _, err := fmt.Fprintf(out, "---\n%s", text); err != nil {
				return fmt.Errorf("print the definitions: %w", err)
			}
		}
	}
	return nil
}
