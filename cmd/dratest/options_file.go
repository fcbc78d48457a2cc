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
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"

	"github.com/dra-conformance/dratest/framework/limit"
)

const (
	optionsFlag = "options-file"
	// optionsLimit is the maximum size of an options file, in bytes.
	optionsLimit = 1 << 20
)

// optionsFile adds the flag for a file of flags to a command and those below, unless they have few flags.
func optionsFile(cmd *cobra.Command) {
	for _, sub := range cmd.Commands() {
		optionsFile(sub)
	}
	count := 0
	cmd.Flags().VisitAll(func(*pflag.Flag) { count++ })
	if count <= fewFlags {
		return
	}
	file := cmd.Flags().String(optionsFlag, "", "YAML file with flags of this command, by their long names; the command line takes precedence")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed(optionsFlag) {
			return nil
		}
		return withCode(codeUsage, readOptions(*file, cmd.Flags()))
	}
}

// readOptions sets the flags in a file that the command line did not set. It returns all problems at once.
func readOptions(file string, flags *pflag.FlagSet) error {
	if file == "" {
		return fmt.Errorf("%s: must not be empty", optionsFlag)
	}
	data, err := limit.ReadFile(file, optionsLimit)
	if err != nil {
		return fmt.Errorf("%s: %w", optionsFlag, err)
	}
	options, err := parseOptions(data)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", optionsFlag, file, err)
	}
	given := map[string]bool{}
	flags.Visit(func(f *pflag.Flag) { given[f.Name] = true })
	var errs []error
	for _, o := range options {
		f := flags.Lookup(o.name)
		switch {
		case f == nil || o.name == optionsFlag || o.name == "help":
			errs = append(errs, fmt.Errorf("%s:%d: unknown flag %q", file, o.line, o.name))
			continue
		case given[o.name]:
			continue
		}
		if err := setFlag(flags, f, o); err != nil {
			errs = append(errs, fmt.Errorf("%s:%d: %s: %w", file, o.line, o.name, err))
		}
	}
	return errors.Join(errs...)
}

// option is a flag in an options file. values are as on the command line, one for each time; several is whether they are
// a list or a map.
type option struct {
	name    string
	line    int
	values  []string
	several bool
}

// parseOptions reads a map of flags. A value is a scalar, a list of them, or a map for flags that take key=value. Scalars
// are taken as written, so that version 1.30 does not become 1.3.
func parseOptions(data []byte) ([]option, error) {
	var doc yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	switch err := decoder.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("is empty")
	case err != nil:
		return nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, errors.New("must be a single YAML document")
	}
	top := doc.Content[0]
	if top.Kind != yaml.MappingNode {
		return nil, errors.New("must be a map of flags, for example \"parallel: 8\"")
	}
	var all []option
	seen := map[string]int{}
	for pair := range slices.Chunk(top.Content, 2) {
		o := option{name: pair[0].Value, line: pair[0].Line}
		if line := seen[o.name]; line > 0 {
			return nil, fmt.Errorf("line %d: %q is also on line %d", o.line, o.name, line)
		}
		seen[o.name] = o.line
		value := pair[1]
		o.several = value.Kind == yaml.SequenceNode || value.Kind == yaml.MappingNode
		switch value.Kind {
		case yaml.SequenceNode:
			for _, item := range value.Content {
				text, err := scalar(item)
				if err != nil {
					return nil, fmt.Errorf("line %d: %s: %w", item.Line, o.name, err)
				}
				o.values = append(o.values, text)
			}
		case yaml.MappingNode:
			for item := range slices.Chunk(value.Content, 2) {
				text, err := scalar(item[1])
				if err != nil {
					return nil, fmt.Errorf("line %d: %s: %w", item[1].Line, o.name, err)
				}
				o.values = append(o.values, item[0].Value+"="+text)
			}
		default:
			text, err := scalar(value)
			if err != nil {
				return nil, fmt.Errorf("line %d: %s: %w", value.Line, o.name, err)
			}
			o.values = []string{text}
		}
		all = append(all, o)
	}
	return all, nil
}

func scalar(n *yaml.Node) (string, error) {
	switch {
	case n.Kind == yaml.AliasNode:
		return "", errors.New("is an alias: write the value")
	case n.Kind != yaml.ScalarNode || !slices.Contains([]string{"!!str", "!!int", "!!float", "!!bool", "!!timestamp"}, n.ShortTag()):
		return "", errors.New("must be a string, number or boolean, a list or a map of them")
	}
	return strings.TrimSuffix(n.Value, "\n"), nil
}

// setFlag sets a flag as the command line would.
func setFlag(flags *pflag.FlagSet, f *pflag.Flag, o option) error {
	list, isList := f.Value.(pflag.SliceValue)
	if o.several && slices.Contains([]string{"string", "int", "int64", "uint64", "float64", "bool", "duration"}, f.Value.Type()) {
		return errors.New("takes a single value")
	}
	if o.several && isList {
		// Elements may have commas. Set marks the flag as given.
		return errors.Join(flags.Set(f.Name, ""), list.Replace(o.values))
	}
	for _, value := range o.values {
		if err := flags.Set(f.Name, value); err != nil {
			return err
		}
	}
	return nil
}
