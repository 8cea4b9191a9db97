// SPDX-License-Identifier: Apache-2.0
import { createSubject } from "../../src/model/subject.ts";
import { startApiServer } from "../support/api-server.ts";
import { type ServerUnderTest, users } from "./server-under-test.ts";

/** Starts our API server, empty, with the users of `server-under-test.ts`. */
export async function startOurServer(): Promise<ServerUnderTest> {
  const tokens = new Map(
    users.map(({ name, groups }) => [
      `token-of-${name}`,
      createSubject({ user: name, groups: [...groups], uid: `uid-${name}` }),
    ]),
  );
  const { url, ca, close } = await startApiServer(tokens, {
    clusterIpRange: "10.0.0.0/24",
    tokenIssuer: "https://kit.invalid",
  });
  return { url, ca, token: (user) => `token-of-${user}`, close };
}
