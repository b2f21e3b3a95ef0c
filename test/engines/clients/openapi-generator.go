package main

import "context"

// Lists the providers, removes the first, and tries to remove one that does not exist.
func call(url string, token string) []any {
	configuration := NewConfiguration()
	configuration.Servers = ServerConfigurations{{URL: url}}
	api := NewAPIClient(configuration).SAMLProvidersAPI
	ctx := context.WithValue(context.Background(), ContextAccessToken, token)
	list, _, err := api.ListSamlProviders(ctx).Prefer("wait=20").Execute()
	must(0, err)
	removed, _, err := api.DeleteSamlProvider(ctx, list.Data.SamlProviders[0].Id).Execute()
	must(0, err)
	_, _, err = api.DeleteSamlProvider(ctx, 77).Execute()
	return []any{list, removed, err.(*GenericOpenAPIError).Model()}
}
