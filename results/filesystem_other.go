//go:build !linux

package results

// onNetwork is known on Linux only; elsewhere the user chooses where the store lies.
func onNetwork(string) bool { return false }
