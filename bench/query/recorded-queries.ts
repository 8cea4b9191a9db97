// SPDX-License-Identifier: Apache-2.0
// The 200 queries of the promise, a third of each class, and what is measured beside them. Each query is written twice,
// by hand: in the query language, and as the condition of an SQL query.
import { createSeededRandom } from "../../src/base/random.ts";
import { products, roles } from "./app-rows.ts";
import { type FleetShape, nowMs, teams } from "./fleet-shape.ts";

/**
 * What a query must read:
 * - `postings`: cluster, namespace, kind, status and labels.
 * - `rows`: each visible row, for ages, numbers and ranges.
 * - `text`: names, reasons and messages, in any case of letters.
 */
export const queryClasses = ["postings", "rows", "text"] as const;
export type QueryClass = (typeof queryClasses)[number];

export type SqlValue = string | number;

/** A condition over the columns of `sql-rows.ts`. Values stand for `?`, in order. `~` means: contains, in any case. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

export interface RecordedQuery {
  readonly text: string;
  readonly where: SqlCondition;
  /** In the query language and in SQL. Default: by key. */
  readonly sort?: { readonly field: string; readonly sql: string };
}

export interface ClassifiedQuery extends RecordedQuery {
  readonly queryClass: QueryClass;
}

const queryCount = 200;
const seed = "recorded-queries-1";

/** The letters of generated names. */
const nameLetters = "bcdfghjklmnpqrstvwxz2456789".split("");

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

const resources: Readonly<Record<string, string>> = {
  Pod: "pods",
  Deployment: "apps/deployments",
  ReplicaSet: "apps/replicasets",
  Service: "services",
  ConfigMap: "configmaps",
  Event: "events",
  Node: "nodes",
  Ingress: "networking.k8s.io/ingresses",
};

/** Draws the values of queries. */
class Draw {
  readonly #random = createSeededRandom(seed);
  readonly #shape: FleetShape;

  constructor(shape: FleetShape) {
    this.#shape = shape;
  }

  pick<Value>(values: readonly Value[]): Value {
    return values[this.#random.int(values.length)] as Value;
  }

  number(from: number, to: number): number {
    return from + this.#random.int(to - from + 1);
  }

  kind(): readonly [kind: string, resource: string] {
    return this.pick(Object.entries(resources));
  }

  namespace(): string {
    return this.pick(this.#shape.namespaces);
  }

  cluster(): string {
    return this.pick(this.#shape.clusters).name;
  }

  team(): string {
    return this.pick(teams);
  }

  app(): string {
    return `${this.pick(products)}-${this.pick(roles)}`;
  }

  /** Letters that some generated names contain. */
  letters(count: number): string {
    return Array.from({ length: count }, () => this.pick(nameLetters)).join("");
  }
}

type Template = (draw: Draw) => RecordedQuery;

function query(text: string, sql: string, ...values: SqlValue[]): RecordedQuery {
  return { text, where: { sql, values } };
}

const postingsTemplates: readonly Template[] = [
  () => query("status=unhealthy", "status = ?", "unhealthy"),
  () => query("kind:Pod status=unhealthy", "resource = ? and status = ?", "pods", "unhealthy"),
  (draw) => {
    const [kind, resource] = draw.kind();
    return query(`kind:${kind}`, "resource = ?", resource);
  },
  (draw) => {
    const [cluster, [kind, resource]] = [draw.cluster(), draw.kind()];
    return query(`cluster:${cluster} kind:${kind}`, "cluster = ? and resource = ?", cluster, resource);
  },
  (draw) => {
    const namespace = draw.namespace();
    return query(`ns:${namespace}`, "namespace = ?", namespace);
  },
  (draw) => {
    const [namespace, [kind, resource]] = [draw.namespace(), draw.kind()];
    return query(`ns:${namespace} kind:${kind}`, "namespace = ? and resource = ?", namespace, resource);
  },
  (draw) => {
    const app = draw.app();
    return query(`label.app=${app}`, "label_app = ?", app);
  },
  (draw) => {
    const team = draw.team();
    const text = `kind:Pod label.team=${team} status=unhealthy`;
    return query(text, "resource = 'pods' and label_team = ? and status = 'unhealthy'", team);
  },
  (draw) => {
    const [environment, [kind, resource]] = [draw.pick(["prod", "staging", "dev"]), draw.kind()];
    const text = `environment:${environment} kind:${kind}`;
    return query(text, "environment = ? and resource = ?", environment, resource);
  },
  (draw) => {
    const region = draw.pick(["eu", "us", "ap"]);
    const text = `cluster:prod-${region}-* status=unhealthy`;
    return query(text, "cluster like ? and status = 'unhealthy'", `prod-${region}-%`);
  },
  (draw) => {
    const tier = draw.pick(["gold", "silver", "bronze"]);
    const text = `kind:in(Deployment,Service) label.tier=${tier} label.env=prod`;
    return query(text, "resource in ('apps/deployments', 'services') and label_tier = ? and label_env = 'prod'", tier);
  },
  (draw) => {
    const app = draw.app();
    return query(`label.app=${app} status!=healthy`, "label_app = ? and status <> 'healthy'", app);
  },
  () => query("", "true"),
  (draw) => {
    const names = [draw.namespace(), draw.namespace(), draw.namespace()];
    return query(
      `ns:in(${names.join(",")}) status!=healthy`,
      "namespace in (?, ?, ?) and status <> 'healthy'",
      ...names,
    );
  },
  (draw) => {
    const [team, tier] = [draw.team(), draw.pick(["gold", "silver", "bronze"])];
    return query(`label.team=${team} label.tier=${tier}`, "label_team = ? and label_tier = ?", team, tier);
  },
  (draw) => {
    const [first, second] = [draw.app(), draw.app()];
    const text = `(label.app=${first} or label.app=${second}) and not kind:Event`;
    return query(text, "(label_app = ? or label_app = ?) and resource <> 'events'", first, second);
  },
];

const rowsTemplates: readonly Template[] = [
  (draw) => {
    const hours = draw.number(1, 48);
    return query(`age<${hours}h`, "created > ?", nowMs - hours * hourMs);
  },
  (draw) => {
    const restarts = draw.number(1, 300);
    return query(`kind:Pod field.restarts>${restarts}`, "resource = 'pods' and restarts > ?", restarts);
  },
  (draw) => {
    const [days, [kind, resource]] = [draw.number(5, 300), draw.kind()];
    return query(`age>${days}d kind:${kind}`, "created < ? and resource = ?", nowMs - days * dayMs, resource);
  },
  (draw) => {
    const from = nowMs - draw.number(20, 300) * dayMs;
    const to = from + draw.number(1, 20) * dayMs;
    const text = `created>=${new Date(from).toISOString()} created<${new Date(to).toISOString()}`;
    return query(text, "created >= ? and created < ?", from, to);
  },
  (draw) => {
    const replicas = draw.number(2, 4);
    const text = `kind:Deployment field.replicas>=${replicas} field.available<${replicas}`;
    return query(text, "resource = 'apps/deployments' and replicas >= ? and available < ?", replicas, replicas);
  },
  (draw) => {
    const from = draw.number(3, 200);
    const text = `field.restarts>=${from} field.restarts<${from + 50}`;
    return query(text, "restarts >= ? and restarts < ?", from, from + 50);
  },
  (draw) => {
    const days = draw.number(1, 30);
    return query(`status=unhealthy age<${days}d`, "status = 'unhealthy' and created > ?", nowMs - days * dayMs);
  },
  (draw) => {
    const count = draw.number(2, 250);
    return query(`kind:Event field.count>${count}`, "resource = 'events' and event_count > ?", count);
  },
  (draw) => {
    const [minutes, team] = [draw.number(10, 600), draw.team()];
    const text = `age<${minutes}m label.team=${team}`;
    return query(text, "created > ? and label_team = ?", nowMs - minutes * minuteMs, team);
  },
  (draw) => {
    const [days, restarts] = [draw.number(1, 60), draw.number(1, 100)];
    const text = `age<${days}d or field.restarts>${restarts}`;
    return query(text, "(created > ? or coalesce(restarts > ?, false))", nowMs - days * dayMs, restarts);
  },
];

/** A word without a field is searched in name, reason and message (QL6). */
function wordSql(word: string): readonly [sql: string, ...values: SqlValue[]] {
  return ["(name ~ ? or reason ~ ? or message ~ ?)", word, word, word];
}

const textTemplates: readonly Template[] = [
  (draw) => {
    const app = draw.app();
    return query(`"${app}"`, ...wordSql(app));
  },
  (draw) => {
    const app = draw.app();
    return query(`name~"${app}"`, "name ~ ?", app);
  },
  (draw) => {
    const letters = draw.letters(3);
    return query(`name~"${letters}"`, "name ~ ?", letters);
  },
  (draw) => {
    const letters = draw.letters(2);
    return query(`kind:Pod name~"${letters}"`, "resource = 'pods' and name ~ ?", letters);
  },
  (draw) => {
    const word = draw.pick(["Gateway", "frontend", "CONFIG", "root-ca", "back-off", "worker-2"]);
    return query(`"${word}"`, ...wordSql(word));
  },
  (draw) => {
    const [app, team] = [draw.app(), draw.team()];
    const text = `label.team=${team} "${app}"`;
    const [sql, ...values] = wordSql(app);
    return query(text, `label_team = ? and ${sql}`, team, ...values);
  },
  (draw) => {
    const letters = draw.letters(4);
    return query(`"${letters}"`, ...wordSql(letters));
  },
];

const templates: Readonly<Record<QueryClass, readonly Template[]>> = {
  postings: postingsTemplates,
  rows: rowsTemplates,
  text: textTemplates,
};

/** The queries in the order in which they are asked: classes take turns. The same ones at every call. */
export function createRecordedQueries(shape: FleetShape): readonly ClassifiedQuery[] {
  const draw = new Draw(shape);
  return Array.from({ length: queryCount }, (_, at) => {
    const queryClass = queryClasses[at % queryClasses.length] ?? "postings";
    const own = templates[queryClass];
    const template = own[Math.floor(at / queryClasses.length) % own.length] ?? rowsTemplates[0];
    if (template === undefined) throw new Error("a class has templates");
    return { queryClass, ...template(draw) };
  });
}
