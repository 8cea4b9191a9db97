// SPDX-License-Identifier: Apache-2.0
import { type Client, createClient } from "@connectrpc/connect";
import { FlotillaError } from "../../base/error.ts";
import { type AuditRecord, AuditService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { printResult } from "../output/output.ts";
import { renderTable } from "../output/text-table.ts";
import { auditColumns, toAuditObject, toAuditRow } from "./audit-view.ts";
import type { HubCall } from "./hub-call.ts";

/** Filter of the records; empty texts and 0 mean all. */
export interface AuditQuery {
  readonly actor: string;
  readonly action: string;
  readonly sinceMs: number;
  readonly limit: number;
}

/** Prints administrative changes, newest first. */
export async function listAuditRecords(call: HubCall, cluster: string, query: AuditQuery): Promise<void> {
  const { io, output, transport, signal } = call;
  const records = await loadRecords(createClient(AuditService, transport), { ...query, cluster }, signal);
  const rows = records.map((record) => toAuditRow(record, io.now()));
  const text = rows.length === 0 ? "no administrative changes\n" : renderTable(auditColumns, rows);
  await printResult(io.stdout, output, { value: { records: records.map(toAuditObject) }, text });
}

/** Verifies the hash chain and prints the result. Throws STORE_CORRUPT if the chain is broken. */
export async function verifyAuditLog(call: HubCall, noted: string): Promise<void> {
  const { io, output, transport, signal } = call;
  const { seq, hash } = parseNoted(noted);
  const verdict = await createClient(AuditService, transport).verifyAuditLog(
    { notedSeq: seq, notedHash: hash },
    { signal },
  );
  const { problem, lastHash } = verdict;
  const recordCount = Number(verdict.recordCount);
  const firstSeq = Number(verdict.firstSeq);
  const lastSeq = Number(verdict.lastSeq);
  if (problem !== "") throw new FlotillaError("STORE_CORRUPT", `the audit log is broken: ${problem}`);
  const note =
    recordCount === 0
      ? ""
      : ` To check later that no record so far was changed, keep ${lastSeq}:${lastHash} for --noted`;
  await printResult(io.stdout, output, {
    value: { recordCount, firstSeq, lastSeq, lastHash, whole: true },
    text: `the audit log is intact: ${recordCount} records, ${firstSeq} to ${lastSeq}.${note}\n`,
  });
}

async function loadRecords(
  client: Client<typeof AuditService>,
  { cluster, actor, action, sinceMs, limit }: AuditQuery & { readonly cluster: string },
  signal: AbortSignal,
): Promise<readonly AuditRecord[]> {
  const maxAgeSeconds = BigInt(Math.ceil(sinceMs / 1_000));
  const records: AuditRecord[] = [];
  let pageToken = "";
  do {
    const pageSize = limit - records.length;
    const page = await client.listAuditRecords(
      { pageSize, pageToken, cluster, user: actor, action, maxAgeSeconds },
      { signal },
    );
    records.push(...page.records);
    // Sequence numbers decrease from page to page, so that a hub that repeats a page cannot cause an endless loop.
    if (pageToken !== "" && page.nextPageToken !== "" && BigInt(page.nextPageToken) >= BigInt(pageToken))
      throw new FlotillaError("MALFORMED", "the hub sent the same page of audit records twice");
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && records.length < limit);
  return records;
}

function parseNoted(text: string): { readonly seq: bigint; readonly hash: string } {
  if (text === "") return { seq: 0n, hash: "" };
  const [, seq, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (seq === undefined || hash === undefined)
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "--noted must be SEQUENCE:HASH as printed by `flotilla audit --verify`",
    );
  return { seq: BigInt(seq), hash };
}
