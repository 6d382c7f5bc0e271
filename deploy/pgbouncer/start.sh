#!/bin/sh
# Writes PgBouncer's configuration, with values from environment variables, to CONFIG_DIR, and starts PgBouncer. CONFIG_DIR is in memory.
set -eu
umask 077
: "${DESK_APP_PASSWORD:?is not set}"
: "${DESK_DB_HOST:=database}" "${DESK_DB_PORT:=5432}" "${LISTEN_PORT:=6432}" "${CONFIG_DIR:=/tmp}"
# The password appears unescaped in users.txt and in the DATABASE_URL.
case $DESK_APP_PASSWORD in
  *[!0-9A-Za-z_.-]*)
    echo 'DESK_APP_PASSWORD may contain only letters, digits and _ . -. Generate one with: openssl rand -hex 32' >&2
    exit 1
    ;;
esac

# Versions before 1.21 lack this setting; with those, the server needs ?prepare=false at the end of its DATABASE_URL.
prepared='max_prepared_statements = 200'
minor=$(pgbouncer -V | sed -n 's/^PgBouncer 1\.\([0-9]*\).*/\1/p')
[ "${minor:-21}" -ge 21 ] || prepared=

printf '"desk_app" "%s"\n' "$DESK_APP_PASSWORD" > "$CONFIG_DIR/users.txt"
cat > "$CONFIG_DIR/pgbouncer.ini" <<EOF
[databases]
; PgBouncer ignores the parameters that clients send when they connect (see below), so connect_query sets them for each server connection.
desk = host=$DESK_DB_HOST port=$DESK_DB_PORT dbname=desk connect_query='set statement_timeout = 3500; set lock_timeout = 2000; set idle_in_transaction_session_timeout = 8000; set jit = off; set max_parallel_workers_per_gather = 1'

[pgbouncer]
listen_addr = *
listen_port = $LISTEN_PORT
unix_socket_dir =
auth_type = scram-sha-256
auth_file = $CONFIG_DIR/users.txt
pool_mode = transaction
$prepared
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,jit,max_parallel_workers_per_gather
max_client_conn = 500
default_pool_size = 60
server_idle_timeout = 300
query_wait_timeout = 5
EOF
exec pgbouncer "$CONFIG_DIR/pgbouncer.ini"
