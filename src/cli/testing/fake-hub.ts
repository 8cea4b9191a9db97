// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { createSeededRandom } from "../../base/random.ts";
import { SystemService, type Token, TokenSchema, TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import { createErrorTransport } from "../../rpc/client/error-transport.ts";
import type { FollowCall } from "../hub/follow-hub.ts";
import type { OutputFormat } from "../output/output.ts";
import { instantClock, type RecordedIo, recordIo, testNowMs } from "./recorded-io.ts";

/** A token made five minutes before the tests' time. */
export function fakeToken(fields: MessageInitShape<typeof TokenSchema> = {}): Token {
  return create(TokenSchema, {
    id: "tok_1",
    user: "ann",
    groups: ["dev", "ops"],
    description: "for the pipeline",
    createdAt: timestampFromMs(testNowMs - 300_000),
    revision: 12n,
    ...fields,
  });
}

/** A call to an in-memory hub. */
export interface FakeCall extends RecordedIo {
  readonly call: FollowCall;
  readonly stop: AbortController;
}

export function fakeCall(
  service: Partial<ServiceImpl<typeof TokenService>>,
  output: OutputFormat = "text",
  getVersion: () => { readonly version: string } = () => ({ version: "0.1.0" }),
): FakeCall {
  const recorded = recordIo();
  const stop = new AbortController();
  const inner = createRouterTransport(({ service: add }) => {
    add(SystemService, { getVersion });
    add(TokenService, service);
  });
  const transport = createErrorTransport(inner, { url: "https://127.0.0.1", timeoutMs: 30_000 });
  const { signal } = stop;
  const random = createSeededRandom(1);
  return { ...recorded, stop, call: { transport, io: recorded.io, output, signal, clock: instantClock, random } };
}
