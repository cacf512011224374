/** [B22] Limits of concurrent casts, their usage, and positions in the queue. */
export const LIMIT_TABLES = `
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
`;

/** [B23] Schedules. */
export const SCHEDULE_TABLES = `
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

alter table materia.schedules enable row level security;
drop policy if exists worker on materia.schedules;
create policy worker on materia.schedules to materia_worker using (true) with check (true);
drop policy if exists looking on materia.schedules;
create policy looking on materia.schedules for select to materia_member using (materia.may(project));
`;
