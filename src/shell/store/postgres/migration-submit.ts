/** [B82] What one member may submit, if the fleet has no limits of these kinds. */
export const MEMBER_LIMITS = { waiting: 1_000, bytes: 10_000_000_000 } as const;

/** The same texts as the worker checks: a row that it would refuse is not stored. */
const REMOTE = String.raw`^((https?|ssh|git)://([^\s/@]*@)?[A-Za-z0-9\[]|(file://)?/|([A-Za-z0-9_][\w.-]*@)?[A-Za-z0-9][\w.-]*:(?![:-]|//))`;
const OBJECT_ID = "^([0-9a-f]{40}|[0-9a-f]{64})$";
const ITEM_ID = "_[1-9][0-9]*_WI-[1-9][0-9]*(_[1-9][0-9]*)?$";

/** [B80] The only ways by which members write. Each checks all arguments: members write what a stranger could send. */
export const SUBMIT_SQL_FUNCTIONS = `
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
  if id is null or id !~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,199}$' or id ~ '${ITEM_ID}' then perform refuse('this is no id of a new cast'); end if;
  if of_project is null or length(of_project) not between 1 and 200 or of_project ~ '[[:cntrl:]]'
    or of_queue is null or length(of_queue) not between 1 and 200 or of_queue ~ '[[:cntrl:]]' then perform refuse('a project or queue has no such name'); end if;
  if of_priority is null or of_priority not between 0 and 1073741823 then perform refuse('a priority is a number from 0'); end if;
  if of_file is null or octet_length(of_file) > 67108864 then perform refuse('the file of a cast has at most 64 MB'); end if;
  f := of_file::json;
  if json_typeof(f) <> 'object' or f ->> 'castId' is distinct from id or f -> 'window' is not null
    or coalesce(json_typeof(f -> 'request'), '') <> 'string' or coalesce(json_typeof(f -> 'loadout' -> 'name'), '') <> 'string'
    or f ->> 'rehearsal' <> id || '/rehearsal.json' or (f ->> 'rehearsal' is not null and not of_brings ? 'rehearsal.json')
    or coalesce(f ->> 'startedAt', '') !~ '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' then perform refuse('the file of a cast is not that of this cast'); end if;
  if of_brings is null or jsonb_typeof(of_brings) <> 'object' or octet_length(of_brings::text) > 67108864 or exists (
    select from jsonb_each(of_brings) as e (name, body) where name not in ('rehearsal.json', 'skills.json') or jsonb_typeof(body) <> 'string')
    then perform refuse('only skills and the replies of a rehearsal come with a cast'); end if;
  if of_source is not null and (jsonb_typeof(of_source) <> 'object' or octet_length(of_source::text) > 16384
    or not of_source ?& array['remote', 'branch', 'below'] or of_source - array['remote', 'branch', 'below', 'follows'] <> '{}'
    or jsonb_typeof(of_source -> 'remote') not in ('null', 'string') or jsonb_typeof(of_source -> 'branch') not in ('null', 'string')
    or jsonb_typeof(of_source -> 'below') <> 'string' or coalesce(of_source -> 'follows', 'true') <> 'true'
    or of_source ->> 'remote' !~ '${REMOTE}' or of_source ->> 'branch' !~ '^refs/heads/[^-./]'
    or of_source ->> 'below' ~ '^[-/]|(^|[/\\\\])\\.\\.([/\\\\]|$)') then perform refuse('the source of its files is invalid'); end if;
  if num_nulls(of_head, of_ckpt, of_pack) not in (0, 3) or of_head !~ '${OBJECT_ID}' or of_ckpt !~ '${OBJECT_ID}'
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
  select coalesce((select most from limits where kind = 'waiting'), ${MEMBER_LIMITS.waiting}) into most_waiting;
  select coalesce((select most from limits where kind = 'bytes'), ${MEMBER_LIMITS.bytes}) into most_bytes;
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
`;
