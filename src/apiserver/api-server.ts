// SPDX-License-Identifier: Apache-2.0
// A Kubernetes API server for one logical cluster, over a Store. It has no listener: src/apiserver/http passes requests
// to it.
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { FlotillaError } from "../base/error.ts";
import type { Logger } from "../base/log.ts";
import { KeyedMutex } from "../base/queues/keyed-mutex.ts";
import type { Random } from "../base/random.ts";
import type { Clock } from "../base/time/clock.ts";
import { runController } from "../controllers/run-controller.ts";
import { createSubject, type Subject } from "../model/subject.ts";
import { createClusterAuthorizer, mastersGroup } from "../rbac/authorizer-chain.ts";
import type { Store } from "../store/store.ts";
import { createTokenAuthenticator, type TokenAuthenticator } from "./access/authenticate-token.ts";
import { followPolicy } from "./access/cluster-policy.ts";
import { AccountTokens, defaultTokenIssuer } from "./accounts/account-tokens.ts";
import { createSigningKey } from "./accounts/jwt.ts";
import { createBuiltinResources } from "./builtin-resources.ts";
import { createRoleAggregator } from "./controllers/aggregate-roles.ts";
import { type ClusterClient, createClusterClient } from "./controllers/cluster-client.ts";
import { createCrdController, followDefinitions } from "./controllers/crd-controller.ts";
import { createGarbageCollector } from "./controllers/garbage-collector.ts";
import { createNamespaceController } from "./controllers/namespace-controller.ts";
import type { ApiContext, ServerExtensions } from "./dispatch/api-context.ts";
import { handleRequest } from "./dispatch/handle-request.ts";
import type { ApiRequest, ApiResponse } from "./request/api-request.ts";
import { ResourceRegistry } from "./resources/resource-registry.ts";
import { loadSchemaTable } from "./schema/load-schema-table.ts";
import { ObjectCache } from "./storage/object-cache.ts";
import { ObjectWriter } from "./storage/object-writer.ts";
import type { ApiCluster } from "./verbs/api-cluster.ts";

/** The user of the controllers in this process. */
const systemUser = createSubject({ user: "system:apiserver", groups: [mastersGroup] });

export interface ApiServerOptions {
  readonly store: Store;
  /** The first part of the keys of its objects. Several logical clusters can share a store. */
  readonly cluster: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Finds the user of a bearer token; undefined for an invalid one. */
  readonly findUser: (token: string) => Promise<Subject | undefined>;
  readonly extensions?: ServerExtensions;
  /**
   * A P-256 private key that signs service account tokens. Without it a key is generated, and tokens are valid until
   * the process ends.
   */
  readonly accountKey?: KeyObject;
  /** Issuer and audience of service account tokens; see `defaultTokenIssuer`. */
  readonly tokenIssuer?: string;
  /** Address range of Services; see `defaultClusterIpRange`. */
  readonly clusterIpRange?: string;
}

/** A running server. */
export interface ApiServer {
  /** Answers any request. Never rejects: an error becomes a Status. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  readonly cluster: ApiCluster;
  /** Reads and writes as the cluster itself, for controllers in the same process. */
  readonly client: ClusterClient;
  /** Authenticates bearer tokens: those of `findUser`, and those of service accounts. */
  readonly authenticate: TokenAuthenticator;
  readonly log: Logger;
  /** Aborts when the server closes. */
  readonly closing: AbortSignal;
  /** Ends watches and stops following the store. Does not close the store. */
  close(): Promise<void>;
}

/** Opens the server with the objects in the store. */
export async function openApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, cluster: name, clock, random, log, findUser } = options;
  const closing = new AbortController();
  const { cache, failed } = await ObjectCache.open({ store, cluster: name, clock }, closing.signal);
  const followed = failed.catch((reason: unknown) => {
    log.error("the object cache stopped following the store", { cluster: name }, reason);
    closing.abort(new FlotillaError("UNAVAILABLE", "the watch of the store failed", { cause: reason }));
  });
  const table = loadSchemaTable();
  const writer = new ObjectWriter(store, name, cache);
  const resources = new ResourceRegistry(createBuiltinResources(table, options));
  const { policy, stop } = followPolicy(cache, log);
  const cluster: ApiCluster = {
    store,
    cluster: name,
    cache,
    clock,
    random,
    writer,
    resources,
    sharedDraws: new KeyedMutex(),
  };
  const client = createClusterClient(cluster, systemUser);
  const stopDefinitions = followDefinitions(client, resources);
  const controllers = [
    createCrdController(client, clock),
    createNamespaceController({ client, resources, clock }),
    createGarbageCollector({ client, resources }),
    createRoleAggregator(client),
  ];
  const running = Promise.all(
    controllers.map((controller) => runController(cache, controller, { clock, random, log }, closing.signal)),
  );
  const accounts = new AccountTokens({
    key: createSigningKey(options.accountKey ?? generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey),
    issuer: options.tokenIssuer ?? defaultTokenIssuer,
    objects: cache,
    clock,
    random,
  });
  const authenticate = createTokenAuthenticator(findUser, accounts);
  const context: ApiContext = {
    cluster,
    table,
    policy,
    authorizer: createClusterAuthorizer(policy),
    authenticate,
    accounts,
    log,
    extensions: options.extensions ?? {},
  };
  return {
    handle: (request) => handleRequest(context, request),
    cluster,
    client,
    authenticate,
    log,
    closing: closing.signal,
    async close() {
      closing.abort(new FlotillaError("UNAVAILABLE", "the server is closing"));
      stop();
      stopDefinitions();
      await Promise.all([followed, running]);
    },
  };
}
