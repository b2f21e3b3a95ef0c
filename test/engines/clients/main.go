package main

import (
	"encoding/json"
	"os"
)

// Prints as JSON what the generated client read. Its argument is the URL of the deployment.
func main() {
	must(0, json.NewEncoder(os.Stdout).Encode(call(os.Args[1], os.Getenv("TOKEN"))))
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
