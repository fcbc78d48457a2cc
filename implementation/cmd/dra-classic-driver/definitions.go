/*
Copyright The dratest Authors.

Licensed under the Apache License, Version 2.0 (the "License");
you may not use this file except in compliance with the License.
You may obtain a copy of the License at

    http://www.apache.org/licenses/LICENSE-2.0

Unless required by applicable law or agreed to in writing, software
distributed under the License is distributed on an "AS IS" BASIS,
WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
See the License for the specific language governing permissions and
limitations under the License.
*/

package main

import (
	"embed"
	"fmt"
	"io"
	"io/fs"

	"github.com/spf13/cobra"
)

// definitions are a cluster's prerequisites for classic DRA: CustomResourceDefinitions, generated from
// classic/api/v1alpha1, and admission policies for rules unknown to the API server. The policies limit
// the users of a claim, because other schedulers do not, and require a DeviceClass naming a
// ResourceClass to match no device in ResourceSlices.
//
//go:embed crd/*.yaml policy/*.yaml
var definitions embed.FS

func definitionsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "definitions",
		Short: "Print the API definitions of classic DRA",
		Long: "definitions prints the CustomResourceDefinitions and admission policies of classic DRA as YAML, for use with\n" +
			"\"kubectl apply -f -\".",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return printDefinitions(cmd.OutOrStdout()) },
	}
}

func printDefinitions(out io.Writer) error {
	for _, files := range []string{"crd/*.yaml", "policy/*.yaml"} {
		names, err := fs.Glob(definitions, files)
		if err != nil {
			return fmt.Errorf("list the definitions: %w", err)
		}
		for _, name := range names {
			text, err := definitions.ReadFile(name)
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
