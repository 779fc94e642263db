-- The least rights on PostgreSQL: "pets_owner" owns the schema and migrates, "pets_service" reads and writes rows.
-- The roles and the database are made by whoever may:
--
--   CREATE ROLE pets_owner LOGIN PASSWORD '…';
--   CREATE ROLE pets_service LOGIN PASSWORD '…';
--   CREATE DATABASE pets OWNER pets_owner ENCODING 'UTF8' TEMPLATE template0;
--
-- Then run this script in that database as pets_owner, once; it also holds for what later migrations add:
--
--   psql 'postgres://pets_owner@host/pets' --file docs/least-rights.sql
--   DATABASE_URL=postgres://pets_owner:…@host/pets node dist/main.js migrate      (before each new version)
--   DATABASE_URL=postgres://pets_service:…@host/pets node dist/main.js

-- Before PostgreSQL 15 everybody may make tables here.
REVOKE CREATE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO pets_service;

GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO pets_service;
GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO pets_service;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO pets_service;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT USAGE, SELECT, UPDATE ON SEQUENCES TO pets_service;
