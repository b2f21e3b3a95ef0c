-- Prints the providers and users of a PostgreSQL database in the form of import. The members of the API are on the left, columns
-- on the right: put yours there. The tables are those of BloodHound but for the columns that a comment names.

-- Another time zone than UTC may have an offset with seconds in the year 1, which import refuses.
SET TIME ZONE 'UTC';

-- BloodHound: issuer_uri and single_sign_on_uri are the idp_ columns, ous are the mappings, no table has deleted_at (write NULL),
-- and no column has the sp_ members: write 'https://HOST/api/v2/sso/' || name, with /login, /metadata and /acs behind it.
SELECT jsonb_build_object(
  'id', p.id, 'created_at', p.created_at, 'updated_at', p.updated_at, 'deleted_at', p.deleted_at,
  'name', p.name, 'display_name', p.display_name, 'idp_issuer_uri', p.idp_issuer_uri, 'idp_sso_uri', p.idp_sso_uri,
  'principal_attribute_mappings', p.principal_attribute_mappings,
  'sp_issuer_uri', p.sp_issuer_uri, 'sp_sso_uri', p.sp_sso_uri,
  'sp_metadata_uri', p.sp_metadata_uri, 'sp_acs_uri', p.sp_acs_uri, 'sso_provider_id', p.sso_provider_id)
FROM saml_providers p WHERE p.deleted_at IS NULL;

-- BloodHound: versions without the column all_environments show all of them. Write true, and NULL for the last member. Users
-- have no saml_provider_id since 6.3: join ON p.sso_provider_id = u.sso_provider_id.
SELECT jsonb_build_object(
  'id', u.id, 'created_at', u.created_at, 'updated_at', u.updated_at, 'deleted_at', u.deleted_at,
  'saml_provider_id', p.id, 'sso_provider_id', u.sso_provider_id,
  'AuthSecret', (SELECT jsonb_build_object(
      'id', s.id, 'created_at', s.created_at, 'updated_at', s.updated_at, 'deleted_at', s.deleted_at,
      'digest_method', s.digest_method, 'expires_at', s.expires_at, 'totp_activated', s.totp_activated)
    FROM auth_secrets s WHERE s.user_id = u.id),
  'roles', (SELECT jsonb_agg(jsonb_build_object(
      'id', r.id, 'created_at', r.created_at, 'updated_at', r.updated_at, 'deleted_at', r.deleted_at,
      'name', r.name, 'description', r.description,
      'permissions', (SELECT jsonb_agg(jsonb_build_object(
          'id', m.id, 'created_at', m.created_at, 'updated_at', m.updated_at, 'deleted_at', m.deleted_at,
          'authority', m.authority, 'name', m.name))
        FROM permissions m JOIN roles_permissions rm ON rm.permission_id = m.id WHERE rm.role_id = r.id)))
    FROM roles r JOIN users_roles ur ON ur.role_id = r.id WHERE ur.user_id = u.id),
  'first_name', u.first_name, 'last_name', u.last_name, 'email_address', u.email_address,
  'principal_name', u.principal_name, 'last_login', coalesce(u.last_login, '0001-01-01T00:00:00Z'),
  'is_disabled', u.is_disabled, 'eula_accepted', u.eula_accepted, 'all_environments', u.all_environments,
  'environment_targeted_access_control', (SELECT jsonb_agg(jsonb_build_object(
      'user_id', e.user_id, 'environment_id', e.environment_id))
    FROM environment_access e WHERE e.user_id = u.id))
FROM users u LEFT JOIN saml_providers p ON p.id = u.saml_provider_id AND p.deleted_at IS NULL;
