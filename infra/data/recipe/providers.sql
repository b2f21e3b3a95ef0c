SELECT jsonb_build_object(
  'id', p.id, 'name', p.name, 'display_name', p.display_name, 'sso_provider_id', p.sso_provider_id,
  'created_at', p.created_at, 'updated_at', p.updated_at, 'deleted_at', p.deleted_at,
  'idp_issuer_uri', p.idp_issuer_uri, 'idp_sso_uri', p.idp_sso_uri,
  'principal_attribute_mappings', p.principal_attribute_mappings,
  'sp_issuer_uri', p.sp_issuer_uri, 'sp_sso_uri', p.sp_sso_uri,
  'sp_metadata_uri', p.sp_metadata_uri, 'sp_acs_uri', p.sp_acs_uri)
FROM saml_providers p
WHERE p.deleted_at IS NULL;
