package main

import (
	"context"
	"net/http"
)

// Lists the providers, removes the first, and tries to remove one that does not exist.
func call(url string, token string) []any {
	ctx := context.Background()
	authorize := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+token)
		return nil
	}
	client := must(NewClientWithResponses(url, WithRequestEditorFn(authorize)))
	prefer := "wait=20"
	list := must(client.ListSamlProvidersWithResponse(ctx, &ListSamlProvidersParams{Prefer: &prefer})).JSON200
	first := list.Data.SamlProviders[0].Id
	removed := must(client.DeleteSamlProviderWithResponse(ctx, first, nil)).JSON200
	unknown := must(client.DeleteSamlProviderWithResponse(ctx, 77, nil)).ApplicationproblemJSON404
	return []any{list, removed, unknown}
}
