-- [B2] Tables, rights and functions of a fleet: all that `materia fleet migrate` runs in the schema `materia`.
-- A second run changes nothing. The number of the format and the limits of members are in migration.ts too.

create schema if not exists materia;

create table if not exists materia.format (version int primary key);
insert into materia.format values (5) on conflict do nothing;

create table if not exists materia.workers (
  worker_id text primary key,
  n int generated always as identity unique,
  host text not null,
  pid int not null,
  started text not null,
  version text not null,
  queues text[] not null default '{}',
  concurrency int not null default 0,
  state text not null default 'up' check (state in ('up', 'draining', 'gone')),
  backend_pid int,
  since timestamptz not null default now(),
  seen_at timestamptz not null default now()
);

create table if not exists materia.members (
  project text not null,
  member text not null,
  primary key (project, member)
);

create table if not exists materia.casts (
  cast_id text primary key,
  project text not null,
  parent text,
  submitted_by text not null default session_user,
  queue text not null default 'casts',
  priority int not null default 0,
  file text not null,
  brings jsonb not null default '{}',
  source jsonb,
  claim uuid,
  epoch int not null default 0,
  owner text references materia.workers,
  seq int not null default 0,
  status text not null default 'interrupted',
  summary jsonb not null,
  notes jsonb not null default '{}',
  abort_by text,
  tries int not null default 0,
  leg int not null default 0,
  sent int not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  key text,
  refused text[] not null default '{}',
  refused_at timestamptz,
  -- [B79] Names the cast in notifications, which everybody hears.
  notice uuid not null default gen_random_uuid(),
  -- [B82] The size of a submission.
  bytes bigint not null default 0,
  providers text[] not null default '{}',
  sent_at timestamptz,
  -- [B12] The parked dispatch, which frees its slot while items run, and the worker that continues it.
  parked_leg int,
  parked_by text,
  -- By number of the parallel run: the budget of its items, and the usage of their parent before.
  shared jsonb not null default '{}',
  -- Of an item: its usage of that budget, and its running turn.
  turn jsonb
);
create unique index if not exists casts_key on materia.casts (project, key) where key is not null;
create index if not exists casts_refused on materia.casts (queue) where refused <> '{}';
create index if not exists casts_newest on materia.casts (project, cast_id desc) where parent is null;
create index if not exists casts_unsent on materia.casts (queue) where sent < leg;
create index if not exists casts_owned on materia.casts (owner) where owner is not null;
create unique index if not exists casts_notice on materia.casts (notice);
create index if not exists casts_of_person on materia.casts (submitted_by, created_at);
create index if not exists casts_waiting on materia.casts (submitted_by) where status = 'queued';
create index if not exists casts_parked on materia.casts (parked_by) where parked_leg = leg;
create index if not exists casts_accounts on materia.casts (parent) where turn is not null;
create index if not exists casts_items on materia.casts (parent) where parent is not null;

-- [B81] Rows to lock: members have no right to them, and every role may take an advisory lock.
create table if not exists materia.locks (name text primary key);
insert into materia.locks values ('sending'), ('requeue') on conflict do nothing;

create table if not exists materia.events (
  cast_id text not null references materia.casts on delete cascade,
  seq int not null,
  event text not null,
  primary key (cast_id, seq)
);

create table if not exists materia.artifacts (
  cast_id text not null references materia.casts on delete cascade,
  socket text not null,
  visit int not null,
  name text not null,
  part int not null,
  size bigint not null,
  changed_at timestamptz not null default now(),
  body bytea not null,
  primary key (cast_id, socket, visit, name, part)
);

create table if not exists materia.packs (
  cast_id text not null references materia.casts on delete cascade,
  n int not null,
  head text not null,
  ckpt text not null,
  seq int not null,
  pack bytea not null,
  primary key (cast_id, n)
);

-- Output of running turns; losing it in a crash of the server is harmless.
create unlogged table if not exists materia.live (
  cast_id text primary key references materia.casts on delete cascade,
  turn text not null
);

do $$ begin create role materia_worker nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role materia_member nologin; exception when duplicate_object or unique_violation then null; end $$;

create or replace function materia.may(of_project text) returns boolean
language sql stable security definer set search_path = materia, pg_temp as $$
  select pg_has_role(session_user, 'materia_worker', 'member')
    or exists (select from members where project = of_project and member = session_user)
$$;

create or replace function materia.is_driven(by_owner text) returns boolean
language sql stable security definer set search_path = materia, pg_temp as $$
  select exists (select from workers where worker_id = by_owner and state <> 'gone')
$$;

-- [B81] A worker lives while a session of its name is open. Only sessions of roles of workers count: everybody may take any name.
create or replace function materia.session_name(of_worker text) returns text language sql immutable
set search_path = pg_catalog, pg_temp as $$ select 'materia-' || left(encode(sha256(convert_to(of_worker, 'UTF8')), 'hex'), 48) $$;
create or replace function materia.has_session(of_worker text) returns boolean language sql stable
set search_path = pg_catalog, pg_temp as $$
  select exists (select from pg_stat_activity where datname = current_database() and application_name = materia.session_name(of_worker)
    and pg_has_role(usesysid, 'materia_worker', 'member'))
$$;

create or replace function materia.tell_cast(id text, at_seq int, said text[], starts boolean) returns text
language plpgsql security definer set search_path = materia, pg_temp as $$
declare c casts; size bigint := octet_length(array_to_string(said, '', ''));
begin
  if starts is null or said is null or cardinality(said) > 100 or size > 16777216
    or exists (select from unnest(said) with ordinality as t (e, o) where e is null or e::json ->> 'type' is null or e::json ->> 'type' not in
      ('cast_resumed', 'limits_raised', 'person_answered', 'person_finished', 'person_judged', 'item_given_up')
      or e::json ->> 'seq' is distinct from (at_seq + o)::text) then return 'refused'; end if;
  -- Not locked before it is known that this person may see it.
  if not exists (select from casts where cast_id = id and may(project)) then return 'unknown'; end if;
  select * into c from casts where cast_id = id for no key update;
  if not found or c.seq is distinct from at_seq then return 'moved'; end if;
  if c.status = 'queued' then return 'queued'; end if;
  -- [B82] Many answers of the allowed size would fill the database too.
  if c.bytes + size > 2147483648 then return 'refused'; end if;
  -- The worker of a stopped cast writes nothing more, and is about to release it.
  if is_driven(c.owner) and c.status not in ('waiting', 'completed', 'not_satisfied', 'failed', 'aborted') then return 'owned'; end if;
  insert into events select id, at_seq + o, e from unnest(said) with ordinality as t (e, o);
  update casts set seq = at_seq + cardinality(said), updated_at = now(), bytes = bytes + size,
    leg = leg + starts::int, status = case when starts then 'queued' else status end,
    summary = case when starts then summary - 'asleep' - 'wake' else summary end,
    abort_by = case when starts then null else abort_by end, tries = case when starts then 0 else tries end
  where cast_id = id;
  perform pg_notify('materia', c.notice::text), pg_notify('materia_due', '');
  return 'taken';
end $$;

-- Its worker leaves a sleeping cast to the person who wakes it.
create or replace function materia.ask_wake(id text) returns void
language sql security definer set search_path = materia, pg_temp as $$
  with c as (update casts set summary = summary || '{"wake":true}' where cast_id = id and may(project) and summary ? 'asleep' returning notice)
  select pg_notify('materia', notice::text) from c
$$;

create or replace function materia.ask_abort(id text) returns text
language plpgsql security definer set search_path = materia, pg_temp as $$
declare c casts;
begin
  if not exists (select from casts where cast_id = id and may(project)) then return 'unknown'; end if;
  select * into c from casts where cast_id = id for no key update;
  if not found then return 'unknown'; end if;
  if c.status in ('completed', 'not_satisfied', 'failed', 'aborted') then return 'over'; end if;
  update casts set abort_by = session_user, updated_at = now(),
    leg = leg + (not is_driven(c.owner) and c.status <> 'queued' and c.leg > 0)::int,
    status = case when is_driven(c.owner) or c.leg = 0 then c.status else 'queued' end
  where cast_id = id;
  perform pg_notify('materia', c.notice::text), pg_notify('materia_due', '');
  return 'asked';
end $$;

-- [B22] Limits of concurrent casts, their usage, and positions in the queue.
create table if not exists materia.limits (
  kind text not null check (kind in ('all', 'project', 'provider', 'waiting', 'bytes')),
  name text not null default '',
  most bigint not null check (most >= 0),
  primary key (kind, name)
);
create index if not exists casts_sent on materia.casts (project, sent_at);
create index if not exists casts_under_way on materia.casts (project)
  where leg > 0 and sent = leg and status in ('queued', 'running');
create index if not exists casts_queued on materia.casts (project, queue, priority, cast_id) where status = 'queued';

-- Sent to a queue and not over. A cast that stopped without an owner, was rejected, or is parked uses no slot.
create or replace function materia.is_under_way(c materia.casts) returns boolean language sql stable as $$
  select c.leg > 0 and c.sent = c.leg and c.status in ('queued', 'running') and c.parked_leg is distinct from c.leg
    and case c.status when 'running' then c.owner is not null else not c.summary ? 'blocked' end
$$;

create or replace function materia.is_bound_by(c materia.casts, limit_kind text, limit_name text) returns boolean
language sql stable as $$
  select case limit_kind when 'all' then true when 'project' then c.project = limit_name
    else limit_name = any (c.providers) end
$$;

create or replace function materia.limit_standing() returns table (kind text, name text, most float8, busy int)
language sql stable security definer set search_path = materia, pg_temp as $$
  select l.kind, l.name, l.most::float8,
    (select count(*)::int from casts c where is_under_way(c) and is_bound_by(c, l.kind, l.name))
  from limits l where l.kind in ('all', 'project', 'provider') order by l.kind, l.name
$$;

create or replace function materia.queue_place(id text) returns table (place int, waiting int, held jsonb)
language sql stable security definer set search_path = materia, pg_temp as $$
  select
    (select count(*)::int from casts o where o.status = 'queued' and o.project = c.project and o.queue = c.queue
      and not o.summary ? 'blocked' and (o.priority, o.cast_id) <= (c.priority, c.cast_id)),
    (select count(*)::int from casts o where o.status = 'queued' and o.project = c.project and o.queue = c.queue
      and not o.summary ? 'blocked'),
    (select coalesce(jsonb_agg(jsonb_build_object('kind', l.kind, 'name', l.name, 'most', l.most)), '[]')
      from limit_standing() l where c.sent < c.leg and l.busy >= l.most and is_bound_by(c, l.kind, l.name))
  from casts c where c.cast_id = id and c.status = 'queued' and not c.summary ? 'blocked' and may(c.project)
$$;

-- [B23] Schedules.
create table if not exists materia.schedules (
  id int generated always as identity primary key,
  project text not null,
  queue text not null,
  priority int not null,
  submitted_by text not null default session_user,
  cron text not null,
  zone text not null,
  file text not null,
  brings jsonb not null,
  source jsonb,
  head text,
  ckpt text,
  pack bytea,
  next_at timestamptz not null,
  last_cast text,
  problem text,
  created_at timestamptz not null default now()
);
create index if not exists schedules_due on materia.schedules (next_at);

do $$
declare t text;
begin
  foreach t in array array['casts', 'events', 'artifacts', 'packs', 'live', 'members', 'schedules'] loop
    execute format('alter table materia.%I enable row level security', t);
    execute format('drop policy if exists worker on materia.%I', t);
    execute format('create policy worker on materia.%I to materia_worker using (true) with check (true)', t);
    execute format('drop policy if exists looking on materia.%I', t);
    execute format('create policy looking on materia.%I for select to materia_member using (%s)', t, case
      when t = 'members' then 'member = session_user' when t in ('casts', 'schedules') then 'materia.may(project)'
      else format('exists (select from materia.casts c where c.cast_id = %I.cast_id)', t) end);
  end loop;
end $$;


-- [B80] The only ways by which members write. Each checks all arguments, as the worker does: members write what a stranger
-- could send, and a row that a worker would refuse is not stored.
create or replace function materia.refuse(problem text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin raise exception '%', problem using errcode = '22023'; end $$;

create or replace function materia.may_submit(person text, of_project text) returns boolean
language sql stable security definer set search_path = materia, pg_temp as $$
  select exists (select from members where project = of_project and member = person)
    or exists (select from pg_roles where rolname = person and pg_has_role(oid, 'materia_worker', 'member'))
$$;

create or replace function materia.check_submission(id text, of_project text, of_queue text, of_priority int, of_file text,
  of_brings jsonb, of_source jsonb, of_head text, of_ckpt text, of_pack bytea) returns void
language plpgsql security definer set search_path = materia, pg_temp as $$
declare f json;
begin
  if id is null or id !~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$' or id ~ '_[1-9][0-9]*_WI-[1-9][0-9]*(_[1-9][0-9]*)?$' then perform refuse('this is no id of a new cast'); end if;
  if of_project is null or length(of_project) not between 1 and 200 or of_project ~ '[[:cntrl:]]'
    or of_queue is null or length(of_queue) not between 1 and 200 or of_queue ~ '[[:cntrl:]]' then perform refuse('a project or queue has no such name'); end if;
  if of_priority is null or of_priority not between 0 and 1073741823 then perform refuse('a priority is a number from 0'); end if;
  if of_file is null or octet_length(of_file) > 67108864 then perform refuse('the file of a cast has at most 64 MB'); end if;
  f := of_file::json;
  if json_typeof(f) <> 'object' or f ->> 'castId' is distinct from id or f -> 'window' is not null
    or coalesce(json_typeof(f -> 'request'), '') <> 'string' or coalesce(json_typeof(f -> 'loadout' -> 'name'), '') <> 'string'
    or f ->> 'rehearsal' <> id || '/rehearsal.json' or (f ->> 'rehearsal' is not null and not of_brings ? 'rehearsal.json')
    or coalesce(f ->> 'startedAt', '') !~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$' then perform refuse('the file of a cast is not that of this cast'); end if;
  if of_brings is null or jsonb_typeof(of_brings) <> 'object' or octet_length(of_brings::text) > 67108864 or exists (
    select from jsonb_each(of_brings) as e (name, body) where name not in ('rehearsal.json', 'skills.json') or jsonb_typeof(body) <> 'string')
    then perform refuse('only skills and the replies of a rehearsal come with a cast'); end if;
  if of_source is not null and (jsonb_typeof(of_source) <> 'object' or octet_length(of_source::text) > 16384
    or not of_source ?& array['remote', 'branch', 'below'] or of_source - array['remote', 'branch', 'below', 'follows'] <> '{}'
    or jsonb_typeof(of_source -> 'remote') not in ('null', 'string') or jsonb_typeof(of_source -> 'branch') not in ('null', 'string')
    or jsonb_typeof(of_source -> 'below') <> 'string' or coalesce(of_source -> 'follows', 'true') <> 'true'
    or of_source ->> 'remote' !~ '^((https?|ssh|git)://([^\s/@]*@)?[A-Za-z0-9\[]|(file://)?/|([A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?![:-]|//))' or of_source ->> 'branch' !~ '^refs/heads/[^-./]'
    or of_source ->> 'below' ~ '^[-/]|(^|[/\\])\.\.([/\\]|$)') then perform refuse('the source of its files is invalid'); end if;
  if num_nulls(of_head, of_ckpt, of_pack) not in (0, 3) or of_head !~ '^([0-9a-f]{40}|[0-9a-f]{64})$' or of_ckpt !~ '^([0-9a-f]{40}|[0-9a-f]{64})$'
    or (of_pack is not null and of_source is null) then perform refuse('the pack of its files is invalid'); end if;
end $$;

-- The row of a member is locked, so that two submissions at once are counted one after another. [B81] A worker, which submits
-- for others, does not wait for a session of a member.
create or replace function materia.count_submission(person text, of_project text, more bigint) returns void
language plpgsql security definer set search_path = materia, pg_temp as $$
declare most_waiting bigint; most_bytes bigint;
begin
  if not may_submit(person, of_project) then
    raise exception '% is not a member of project %', person, of_project using errcode = '42501';
  end if;
  if not exists (select from members where member = person) then return; end if;
  if person = session_user then perform from members where project = of_project and member = person for no key update;
  else perform from members where project = of_project and member = person for no key update nowait; end if;
  select coalesce((select most from limits where kind = 'waiting'), 1000) into most_waiting;
  select coalesce((select most from limits where kind = 'bytes'), 10000000000) into most_bytes;
  if (select count(*) from casts where submitted_by = person and status = 'queued' and parent is null)
    + (select count(*) from schedules where submitted_by = person) >= most_waiting then
    raise exception '% has % casts and schedules waiting, as many as this fleet takes', person, most_waiting using errcode = '54000';
  end if;
  if more + (select coalesce(sum(bytes), 0) from casts where submitted_by = person and created_at > now() - interval '1 day' and parent is null)
    + (select coalesce(sum(coalesce(octet_length(pack), 0) + octet_length(file)), 0) from schedules where submitted_by = person) > most_bytes then
    raise exception '% has submitted % bytes today, as many as this fleet takes', person, most_bytes using errcode = '54000';
  end if;
end $$;

-- [B22] Limits of providers hold by what the agents name, not by what the member says. [B82] False if another cast has the key. Only a worker submits for somebody else: what a schedule asks for.
create or replace function materia.submit_cast(id text, of_project text, of_queue text, of_priority int, of_file text, of_brings jsonb,
  of_source jsonb, of_key text, of_providers text[], of_head text, of_ckpt text, of_pack bytea, for_person text) returns boolean
language plpgsql security definer set search_path = materia, pg_temp as $$
declare f json; size bigint; made uuid;
  person text := case when pg_has_role(session_user, 'materia_worker', 'member') then coalesce(for_person, session_user) else session_user end;
begin
  perform check_submission(id, of_project, of_queue, of_priority, of_file, of_brings, of_source, of_head, of_ckpt, of_pack);
  if length(of_key) > 1000 or coalesce(cardinality(of_providers), 0) > 1000 or octet_length(array_to_string(of_providers, '')) > 100000
    then perform refuse('a key or provider is too long'); end if;
  size := octet_length(of_file) + octet_length(of_brings::text) + coalesce(octet_length(of_pack), 0);
  perform count_submission(person, of_project, size);
  f := of_file::json;
  insert into casts (cast_id, project, queue, priority, file, brings, source, status, leg, summary, key, submitted_by, providers, bytes)
  values (id, of_project, of_queue, of_priority, of_file, of_brings, of_source, 'queued', 1, jsonb_build_object('castId', id,
    'status', 'interrupted', 'loadout', left(f -> 'loadout' ->> 'name', 1000), 'request', left(f ->> 'request', 1000000),
    'startedAt', f ->> 'startedAt', 'endedAt', null, 'visits', 0, 'items', jsonb_build_object('done', 0, 'total', 0), 'tokens', 0, 'cost', 0)
    || case when f ->> 'rehearsal' is null then '{}' else '{"rehearsed": true}'::jsonb end, of_key, person, array(
      select unnest(of_providers) union select split_part(coalesce(f ->> 'model', m ->> 'model', 'default'), '/', 1)
      from json_each(f -> 'graph' -> 'materia') as e (name, m) where m ->> 'type' = 'agent' and f ->> 'rehearsal' is null order by 1), size)
  on conflict (project, key) where key is not null do nothing returning notice into made;
  if made is null then return false; end if;
  if of_pack is not null then insert into packs values (id, 0, of_head, of_ckpt, 0, of_pack); end if;
  perform pg_notify('materia', made::text), pg_notify('materia_due', '');
  return true;
end $$;

create or replace function materia.add_schedule(of_project text, of_queue text, of_priority int, of_cron text, of_zone text, of_file text,
  of_brings jsonb, of_source jsonb, of_head text, of_ckpt text, of_pack bytea, first_at timestamptz) returns int
language plpgsql security definer set search_path = materia, pg_temp as $$
declare made int;
begin
  perform check_submission(of_file::json ->> 'castId', of_project, of_queue, of_priority, of_file, of_brings, of_source, of_head, of_ckpt, of_pack);
  if of_cron is null or length(of_cron) > 200 or of_zone is null or length(of_zone) > 100 or first_at is null
    then perform refuse('a schedule has no such time'); end if;
  perform count_submission(session_user, of_project, octet_length(of_file) + coalesce(octet_length(of_pack), 0));
  insert into schedules (project, queue, priority, submitted_by, cron, zone, file, brings, source, head, ckpt, pack, next_at)
  values (of_project, of_queue, of_priority, session_user, of_cron, of_zone, of_file, of_brings, of_source, of_head, of_ckpt, of_pack, first_at)
  returning id into made;
  return made;
end $$;

create or replace function materia.remove_schedule(number int, of_project text) returns boolean
language plpgsql security definer set search_path = materia, pg_temp as $$
begin
  if not may(of_project) then return false; end if;
  delete from schedules where schedules.id = number and project = of_project;
  return found;
end $$;

revoke all on all tables in schema materia from public, materia_worker, materia_member;
revoke all on all sequences in schema materia from public, materia_member;
revoke all on all functions in schema materia from public, materia_worker, materia_member;
revoke all on schema materia from public;
grant usage on schema materia to materia_worker, materia_member;
grant select on all tables in schema materia to materia_worker;
grant select on materia.format, materia.workers, materia.members, materia.casts, materia.events, materia.artifacts, materia.packs, materia.live,
  materia.limits, materia.schedules to materia_member;
grant insert, update, delete on materia.workers, materia.casts, materia.events, materia.artifacts, materia.packs, materia.live to materia_worker;
grant update, delete on materia.schedules to materia_worker;
grant update on materia.locks to materia_worker;
grant execute on function materia.tell_cast, materia.ask_abort, materia.ask_wake, materia.may, materia.is_driven, materia.is_under_way, materia.is_bound_by,
  materia.limit_standing, materia.queue_place, materia.submit_cast, materia.add_schedule, materia.remove_schedule to materia_worker, materia_member;
grant execute on function materia.session_name, materia.has_session, materia.may_submit to materia_worker;
