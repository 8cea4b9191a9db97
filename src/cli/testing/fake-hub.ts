// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { type Token, TokenSchema, TokenService } from "../../gen/flotilla/admin/v1/admin_pb.ts";
import type { HubCall } from "../hub-call.ts";
import type { OutputFormat } from "../output.ts";
import { type RecordedIo, recordIo, testNowMs } from "./recorded-io.ts";

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

/** A call of a hub that lives in this test. */
export interface FakeCall extends RecordedIo {
  readonly call: HubCall;
  readonly stop: AbortController;
}

export function fakeCall(service: Partial<ServiceImpl<typeof TokenService>>, output: OutputFormat = "text"): FakeCall {
  const recorded = recordIo();
  const stop = new AbortController();
  const transport = createRouterTransport(({ service: add }) => add(TokenService, service));
  return { ...recorded, stop, call: { transport, io: recorded.io, output, signal: stop.signal } };
}
