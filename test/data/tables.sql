CREATE TABLE saml_providers (
  id integer, name text, display_name text, sso_provider_id integer, idp_issuer_uri text, idp_sso_uri text,
  principal_attribute_mappings text[], sp_issuer_uri text, sp_sso_uri text, sp_metadata_uri text, sp_acs_uri text,
  created_at timestamptz, updated_at timestamptz, deleted_at timestamptz);
CREATE TABLE users (
  id uuid, principal_name text, first_name text, last_name text, email_address text, saml_provider_id integer,
  sso_provider_id integer, is_disabled boolean, eula_accepted boolean, all_environments boolean,
  last_login timestamptz, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz);
CREATE TABLE auth_secrets (
  id integer, user_id uuid, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz, digest_method text,
  expires_at timestamptz, totp_activated boolean);
CREATE TABLE roles (
  id integer, name text, description text, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz);
CREATE TABLE permissions (
  id integer, authority text, name text, created_at timestamptz, updated_at timestamptz, deleted_at timestamptz);
CREATE TABLE users_roles (user_id uuid, role_id integer);
CREATE TABLE roles_permissions (role_id integer, permission_id integer);
CREATE TABLE environment_access (user_id uuid, environment_id text);

INSERT INTO saml_providers VALUES
  (7, 'acme', 'Acme, "the" company', 11, 'https://idp.acme.example', 'https://idp.acme.example/sso',
   '{email,upn}', 'https://app.example.com/sso/acme', 'https://app.example.com/sso/acme/sso',
   'https://app.example.com/sso/acme/md', 'https://app.example.com/sso/acme/acs',
   '2024-03-05 08:30:15.25Z', '2024-04-13 08:30:15Z', NULL),
  (8, 'gone', 'Gone', NULL, '', '', '{}', '', '', '', '', '2024-03-05Z', '2024-03-05Z', '2024-05-05Z');
INSERT INTO users VALUES
  ('884fd78f-fdbc-40cb-a406-3166a49cdf03', 'ada', E'A\\"da\nL', NULL, 'ada@acme.example', 7, 11, false, true, false,
   NULL, '2024-03-29 07:30:15.250817Z', '2024-06-27 08:30:15Z', NULL),
  ('31fb8cc6-dac2-4c13-a1b8-0839f1d03ae9', 'ben', NULL, NULL, NULL, 8, NULL, true, true, true,
   '2024-06-27 08:30:15Z', '2024-03-29 08:30:15Z', '2024-06-27 08:30:15Z', '2024-06-27 08:30:15Z');
INSERT INTO auth_secrets VALUES
  (1, '31fb8cc6-dac2-4c13-a1b8-0839f1d03ae9', '2024-03-29 08:30:15Z', '2024-03-29 08:30:15Z', NULL, 'argon2',
   '2027-01-01Z', true);
INSERT INTO roles VALUES (3, 'Reader', 'May read', '2024-03-01 08:00:00Z', '2024-03-01 08:00:00Z', NULL);
INSERT INTO permissions VALUES (7, 'app', 'AppRead', '2024-03-01 08:00:00Z', '2024-03-01 08:00:00Z', NULL);
INSERT INTO users_roles VALUES ('884fd78f-fdbc-40cb-a406-3166a49cdf03', 3);
INSERT INTO roles_permissions VALUES (3, 7);
INSERT INTO environment_access VALUES ('884fd78f-fdbc-40cb-a406-3166a49cdf03', 'one');
