// SPDX-License-Identifier: Apache-2.0
import type { ContextValues, HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { FlotillaError, hasCode } from "../../base/error.ts";
import type { Random } from "../../base/random.ts";
import type { Clock } from "../../base/time/clock.ts";
import {
  type CreateStandingQueryRequest,
  SavedQueryService,
  type StandingQuery,
  type UpdateStandingQueryRequest,
} from "../../gen/flotilla/query/v1/saved_query_pb.ts";
import { fleetApiGroup } from "../../model/names.ts";
import { toRevision } from "../../model/revision.ts";
import type { Subject } from "../../model/subject.ts";
import { quote } from "../../model/text.ts";
import { authorize, type CallAuthorizer } from "../../rpc/auth/authorize-call.ts";
import { callerOf, callOf } from "../../rpc/server/call-context.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import type { Store } from "../../store/store.ts";
import { objects } from "../../store/tables.ts";
import { actorOf } from "../audit/actor-of.ts";
import { checkSavedContent, checkStandingText } from "./check-query-text.ts";
import type { QueryAuditLog } from "./query-audit.ts";
import { checkQueryDescription, checkQueryName, type QueryCounts } from "./query-limits.ts";
import { standingRunKey } from "./query-places.ts";
import type { ViewerQueries } from "./read-members.ts";
import { SavedQueries } from "./saved-queries.ts";
import { fromContent, toSavedQuery, toStandingQuery } from "./saved-query-messages.ts";
import { StandingQueryDefinitions } from "./standing-query-definitions.ts";
import type { StandingQueryRecord } from "./standing-query-record.ts";
import { parseCondition, parseIntervalMs, parseSecret } from "./standing-query-request.ts";
import { fromStateBody, stateRow } from "./standing-query-state.ts";
import { checkReceiverUrl } from "./webhook-url.ts";

export interface SavedQueryServiceOptions {
  readonly store: Store;
  readonly audit: QueryAuditLog;
  /** Queries as a subject; checks the texts that are saved. */
  readonly queriesOf: (subject: Subject) => ViewerQueries;
  /** Decides who may manage the queries of others. */
  readonly authorizer: CallAuthorizer;
  readonly clock: Clock;
  /** Secrets are drawn from it. */
  readonly random: Random;
  /** `--allow-loopback-webhooks`. */
  readonly allowsLoopback: boolean;
  /** Default: `standingQueryCounts`. */
  readonly standingCounts?: QueryCounts;
}

type Handlers = ServiceImpl<typeof SavedQueryService>;

/** SavedQueryService over the store (SQ1 to SQ10). */
export function createSavedQueryService(options: SavedQueryServiceOptions): ServiceEntry {
  return serviceEntry(SavedQueryService, { ...savedHandlers(options), ...standingHandlers(options) });
}

type SavedMethod = "createSavedQuery" | "updateSavedQuery" | "getSavedQuery" | "listSavedQueries" | "deleteSavedQuery";

function savedHandlers(options: SavedQueryServiceOptions): Pick<Handlers, SavedMethod> {
  const { queriesOf } = options;
  const saved = new SavedQueries(options);
  const userOf = (values: ContextValues): string => callerOf(values).subject.user;
  const contentOf = (content: Parameters<typeof fromContent>[0], { values, signal }: HandlerContext) =>
    checkSavedContent(queriesOf(callerOf(values).subject), fromContent(content), signal);
  const nameOf = (request: { readonly name: string; readonly isPrivate: boolean }, user: string) => ({
    name: request.name,
    privateOwner: request.isPrivate ? user : undefined,
  });
  return {
    async createSavedQuery({ name, isPrivate, content }, context) {
      const wanted = { name: checkQueryName(name), isPrivate, content: await contentOf(content, context) };
      return { savedQuery: toSavedQuery(await saved.create(wanted, userOf(context.values), actorOf(context.values))) };
    },

    async updateSavedQuery(request, context) {
      const user = userOf(context.values);
      const of = nameOf(request, user);
      await saved.load(of);
      const change = { content: await contentOf(request.content, context), revision: toRevision(request.revision) };
      return { savedQuery: toSavedQuery(await saved.update(of, change, user, actorOf(context.values))) };
    },

    async getSavedQuery(request, { values }) {
      return { savedQuery: toSavedQuery(await saved.load(nameOf(request, userOf(values)))) };
    },

    async listSavedQueries({ pageSize, pageToken }, { values }) {
      const { records, next } = await saved.list(userOf(values), { size: pageSize, from: pageToken });
      return { savedQueries: records.map(toSavedQuery), nextPageToken: next };
    },

    async deleteSavedQuery({ name, isPrivate, owner, revision }, { values }) {
      const user = userOf(values);
      const isOthers = isPrivate && owner !== "" && owner !== user;
      const isManager = await canManage(options, "savedqueries", values);
      if (isOthers && !isManager) throw notFound("private saved query", name);
      await saved.delete(
        nameOf({ name, isPrivate }, isOthers ? owner : user),
        { revision: revision === 0n ? undefined : toRevision(revision), isManager },
        user,
        actorOf(values),
      );
      return {};
    },
  };
}

function standingHandlers(options: SavedQueryServiceOptions): Omit<Handlers, SavedMethod> {
  const { store, queriesOf, random, allowsLoopback, standingCounts } = options;
  const definitions = new StandingQueryDefinitions({
    ...options,
    ...(standingCounts === undefined ? {} : { counts: standingCounts }),
  });
  const show = async (record: StandingQueryRecord, values: ContextValues): Promise<StandingQuery> => {
    const row = await store.get(objects, standingRunKey(record.id, stateRow));
    const state = row === undefined ? undefined : fromStateBody(record.id, row.value.body);
    return toStandingQuery(record, state, callerOf(values).subject.user);
  };
  /** The owner that a request names. One that the caller may not manage has no standing queries for the caller. */
  const ownerOf = async (
    { name, owner }: { readonly name: string; readonly owner: string },
    values: ContextValues,
  ): Promise<string> => {
    const { user } = callerOf(values).subject;
    if (owner === "" || owner === user) return user;
    if (await canManage(options, "standingqueries", values)) return owner;
    throw notFound("standing query", name);
  };
  const contentOf = async (
    request: CreateStandingQueryRequest | UpdateStandingQueryRequest,
    { values, signal }: HandlerContext,
  ) => ({
    description: checkQueryDescription(request.description),
    condition: parseCondition(request.condition),
    webhookUrl: checkReceiverUrl(request.webhookUrl, { allowsLoopback }),
    intervalMs: parseIntervalMs(request.intervalSeconds),
    query: await checkStandingText(queriesOf(callerOf(values).subject), request.query, signal),
  });
  return {
    async createStandingQuery(request, context) {
      const { values } = context;
      const { subject } = callerOf(values);
      const { secret, isCreated } = parseSecret(request.secret, random);
      const wanted = { name: checkQueryName(request.name), secret, ...(await contentOf(request, context)) };
      const owner = { user: subject.user, groups: subject.groups };
      const record = await definitions.create(wanted, owner, actorOf(values));
      return { standingQuery: await show(record, values), secret: isCreated ? secret : "" };
    },

    async updateStandingQuery(request, context) {
      const { values } = context;
      const { user } = callerOf(values).subject;
      const secret = request.secret === "" ? undefined : parseSecret(request.secret, random).secret;
      await definitions.load(request.name, user);
      const update = { ...(await contentOf(request, context)), secret };
      const change = { update, revision: toRevision(request.revision) };
      const record = await definitions.update(request.name, user, change, actorOf(values));
      return { standingQuery: await show(record, values) };
    },

    async getStandingQuery(request, { values }) {
      const record = await definitions.load(request.name, await ownerOf(request, values));
      return { standingQuery: await show(record, values) };
    },

    async listStandingQueries({ allOwners }, { values }) {
      const { user } = callerOf(values).subject;
      if (allOwners) await authorizeManage(options, "standingqueries", values);
      const records = await definitions.list(({ owner }) => allOwners || owner.user === user);
      return { standingQueries: await Promise.all(records.map((record) => show(record, values))) };
    },

    async deleteStandingQuery(request, { values }) {
      await definitions.delete(request.name, await ownerOf(request, values), actorOf(values));
      return {};
    },

    async pauseStandingQuery(request, { values }) {
      const record = await definitions.pause(request.name, await ownerOf(request, values), actorOf(values));
      return { standingQuery: await show(record, values) };
    },

    async resumeStandingQuery({ name }, { values }) {
      const { user, groups } = callerOf(values).subject;
      const record = await definitions.resume(name, { user, groups }, actorOf(values));
      return { standingQuery: await show(record, values) };
    },
  };
}

type ManagedResource = "savedqueries" | "standingqueries";

/** Throws PERMISSION_DENIED unless the caller may manage the queries of all users. */
function authorizeManage(
  { authorizer }: SavedQueryServiceOptions,
  resource: ManagedResource,
  values: ContextValues,
): Promise<void> {
  const attributes = { apiGroup: fleetApiGroup, subresource: "", namespace: "", name: "" };
  const request = { kind: "resource", verb: "manage", resource, ...attributes } as const;
  return authorize(authorizer, callerOf(values).subject, request, callOf(values).log);
}

async function canManage(
  options: SavedQueryServiceOptions,
  resource: ManagedResource,
  values: ContextValues,
): Promise<boolean> {
  try {
    await authorizeManage(options, resource, values);
    return true;
  } catch (reason) {
    if (hasCode(reason, "PERMISSION_DENIED")) return false;
    throw reason;
  }
}

/** The same as for a query that does not exist. */
function notFound(what: string, name: string): FlotillaError {
  return new FlotillaError("NOT_FOUND", `there is no ${what} ${quote(name)}`);
}
