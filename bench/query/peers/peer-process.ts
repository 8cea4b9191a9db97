// SPDX-License-Identifier: Apache-2.0
// Entry of the process in which one database is measured. It must give the answers of the index. Arguments: the name of
// the database, its folder, the number of rows that was asked for, the file of answers, the files of rows.
import { readFileSync } from "node:fs";
import { assertSameAnswer, type ComparedAnswer } from "../expected-answer.ts";
import { createFleetShape } from "../fleet-shape.ts";
import type { ExpectedAnswers } from "../index-process.ts";
import { createRecordedQueries, queryClasses, type RecordedQuery } from "../recorded-queries.ts";
import { facetStatement, pageStatement, problemsStatement, type SqlStatement, toAnswer } from "../sql-queries.ts";
import { type OpenPeer, type Peer, PeerMissing, statementLimitMs } from "./peer.ts";

export type PeerName = "sqlite" | "postgres" | "duckdb";

/** The times of one class, sorted. */
export interface PeerTimes {
  readonly ms: readonly number[];
  /** Queries that reached the time limit of a statement. They count with that limit. */
  readonly endedCount: number;
}

export interface PeerFigures {
  readonly name: string;
  readonly loadSeconds: number;
  readonly sizeMib: number;
  readonly classes: Readonly<Record<string, PeerTimes>>;
  /** By the name of the special query. */
  readonly specialMs: Readonly<Record<string, number>>;
}

/** What is reported of a database that could not be measured. */
export interface MissingPeer {
  readonly missing: string;
}

/** The time for all recorded queries of one database. Those that it does not reach are left out. */
const budgetMs = 1_000 * Number(process.env["BENCH_PEER_SECONDS"] ?? 120);

const openers: Readonly<Record<PeerName, () => Promise<OpenPeer>>> = {
  sqlite: async () => (await import("./sqlite-peer.ts")).openSqlite,
  postgres: async () => (await import("./postgres-peer.ts")).openPostgres,
  duckdb: async () => (await import("./duckdb-peer.ts")).openDuckDb,
};

interface Asked {
  readonly ms: number;
  /** Undefined: ended at the time limit. */
  readonly answer: ComparedAnswer | undefined;
}

async function ask(peer: Peer, query: RecordedQuery): Promise<Asked> {
  const startedMs = performance.now();
  const page = await peer.run(pageStatement(query, peer.dialect));
  const groups = page === undefined ? undefined : await peer.run(facetStatement(query, peer.dialect));
  const ms = performance.now() - startedMs;
  if (page === undefined || groups === undefined) return { ms: Math.max(ms, statementLimitMs), answer: undefined };
  return { ms, answer: toAnswer(page, groups) };
}

/** Each query once, after it was asked once without counting: as the index, its code and blocks are then warm. */
async function askTwice(peer: Peer, query: RecordedQuery, expected: ComparedAnswer): Promise<Asked> {
  const first = await ask(peer, query);
  const asked = first.answer === undefined ? first : await ask(peer, query);
  if (asked.answer !== undefined) assertSameAnswer(`${peer.name}: ${query.text}`, asked.answer, expected);
  return asked;
}

async function timeStatement(peer: Peer, statement: SqlStatement): Promise<number> {
  await peer.run(statement);
  const startedMs = performance.now();
  await peer.run(statement);
  return performance.now() - startedMs;
}

async function measure(peer: Peer, loadSeconds: number, expected: ExpectedAnswers): Promise<PeerFigures> {
  const times = new Map(queryClasses.map((queryClass) => [queryClass, { ms: [] as number[], endedCount: 0 }]));
  const endMs = performance.now() + budgetMs;
  for (const [at, query] of queries.entries()) {
    if (performance.now() > endMs) break;
    const answer = expected.recorded[at];
    const own = times.get(query.queryClass);
    if (answer === undefined || own === undefined) throw new Error("every recorded query has an answer");
    const asked = await askTwice(peer, query, answer);
    own.ms.push(asked.ms);
    if (asked.answer === undefined) own.endedCount += 1;
  }
  const specialMs: Record<string, number> = {};
  for (const { query, answer } of expected.special) specialMs[query.name] = (await askTwice(peer, query, answer)).ms;
  specialMs["problems"] = await timeStatement(peer, problemsStatement);
  const classes = Object.fromEntries(
    Array.from(times, ([name, { ms, endedCount }]) => [name, { ms: ms.sort((a, b) => a - b), endedCount }]),
  );
  return { name: peer.name, loadSeconds, sizeMib: peer.sizeBytes() / 1024 / 1024, classes, specialMs };
}

const [name = "", folder = "", wantedCount = "0", answersFile = "", ...lineFiles] = process.argv.slice(2);
const shape = createFleetShape(Number(wantedCount));
const queries = createRecordedQueries(shape);
const expected = JSON.parse(readFileSync(answersFile, "utf8")) as ExpectedAnswers;
const startedMs = performance.now();
const open = await openers[name as PeerName]();
try {
  await using peer = await open({ folder, lineFiles, shape });
  process.send?.(await measure(peer, (performance.now() - startedMs) / 1_000, expected));
} catch (reason) {
  if (!(reason instanceof PeerMissing)) throw reason;
  process.send?.({ missing: reason.message } satisfies MissingPeer);
}
process.disconnect?.();
