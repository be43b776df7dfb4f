package lines

import (
	"fmt"
	"os"
	"runtime/debug"
)

// Main is a wrapper's program: it answers until stdin ends.
func Main(wrapper *Wrapper) {
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr, "usage: wrapper (it takes no arguments)\n")
		os.Exit(2)
	}
	// Fewer collections than Go's own choice of 100: cases are small, and leave nothing behind.
	debug.SetGCPercent(400)
	if err := Converse(wrapper, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// ModuleVersion is the version of a module that this program is built with, without the "v".
func ModuleVersion(module string) string {
	build, _ := debug.ReadBuildInfo()
	for _, dependency := range build.Deps {
		if dependency.Path == module {
			return dependency.Version[1:]
		}
	}
	panic("this program is built without " + module)
}
