SELECT jsonb_build_object(
  'id', u.id, 'principal_name', u.principal_name,
  'first_name', u.first_name, 'last_name', u.last_name, 'email_address', u.email_address,
  'saml_provider_id', u.saml_provider_id, 'sso_provider_id', u.sso_provider_id,
  'is_disabled', u.is_disabled, 'eula_accepted', u.eula_accepted, 'all_environments', u.all_environments,
  'last_login', u.last_login, 'created_at', u.created_at, 'updated_at', u.updated_at, 'deleted_at', u.deleted_at,
  'AuthSecret', (SELECT jsonb_build_object('id', s.id, 'created_at', s.created_at, 'updated_at', s.updated_at,
      'digest_method', s.digest_method, 'expires_at', s.expires_at, 'totp_activated', s.totp_activated)
    FROM auth_secrets s WHERE s.user_id = u.id),
  'roles', (SELECT jsonb_agg(jsonb_build_object('id', r.id, 'created_at', r.created_at, 'updated_at', r.updated_at,
      'name', r.name, 'description', r.description,
      'permissions', (SELECT jsonb_agg(jsonb_build_object('id', m.id, 'authority', m.authority, 'name', m.name))
        FROM permissions m JOIN roles_permissions rm ON rm.permission_id = m.id WHERE rm.role_id = r.id)))
    FROM roles r JOIN users_roles ur ON ur.role_id = r.id WHERE ur.user_id = u.id),
  'environment_targeted_access_control', (SELECT jsonb_agg(jsonb_build_object(
      'user_id', e.user_id, 'environment_id', e.environment_id))
    FROM environment_access e WHERE e.user_id = u.id))
FROM users u;
