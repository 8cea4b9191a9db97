// SPDX-License-Identifier: Apache-2.0
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { FlotillaError } from "../../base/error.ts";
import type { Clock } from "../../base/time/clock.ts";
import {
  type AuditRecord as AuditRecordMessage,
  AuditRecordSchema,
  AuditService,
} from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { type ServiceEntry, serviceEntry } from "../../rpc/server/connect-router.ts";
import type { Store } from "../../store/store.ts";
import type { AuditRecord } from "./audit-record.ts";
import { listAudit } from "./read-audit.ts";
import { verifyAudit } from "./verify-audit.ts";

/** Maximum records of one page. */
const maxPageSize = 500;

/** AuditService over the store (AU6, AU8). */
export function createAuditService(store: Store, clock: Clock): ServiceEntry {
  return serviceEntry(AuditService, {
    async listAuditRecords({ pageSize, pageToken, cluster, user, action, maxAgeSeconds }) {
      const sinceMs = maxAgeSeconds === 0n ? Number.NEGATIVE_INFINITY : clock.wallMs() - Number(maxAgeSeconds) * 1_000;
      const limit = pageSize === 0 ? maxPageSize : Math.min(pageSize, maxPageSize);
      const filter = { cluster, actor: user, action, sinceMs };
      const { records, nextSeq } = await listAudit(store, filter, { fromSeq: parsePageToken(pageToken), limit });
      return { records: records.map(toMessage), nextPageToken: nextSeq === undefined ? "" : String(nextSeq) };
    },

    async verifyAuditLog({ notedSeq, notedHash }) {
      const noted = notedSeq === 0n ? undefined : { seq: toSeq(notedSeq), hash: notedHash };
      const { recordCount, firstSeq, lastSeq, lastHash, problem = "" } = await verifyAudit(store, noted);
      return {
        recordCount: BigInt(recordCount),
        firstSeq: BigInt(firstSeq),
        lastSeq: BigInt(lastSeq),
        lastHash,
        problem,
      };
    },
  });
}

function toMessage(record: AuditRecord): AuditRecordMessage {
  const { seq, atMs, actor, ...rest } = record;
  return create(AuditRecordSchema, { ...rest, ...actor, seq: BigInt(seq), at: timestampFromMs(atMs) });
}

function parsePageToken(text: string): number | undefined {
  if (text === "") return undefined;
  if (!/^[1-9][0-9]{0,15}$/.test(text))
    throw new FlotillaError(
      "INVALID_ARGUMENT",
      "page_token was not issued by this hub; leave it empty for the first page",
    );
  return toSeq(BigInt(text));
}

function toSeq(seq: bigint): number {
  if (seq > BigInt(Number.MAX_SAFE_INTEGER))
    throw new FlotillaError("INVALID_ARGUMENT", `there is no audit record with the sequence number ${seq}`);
  return Number(seq);
}
