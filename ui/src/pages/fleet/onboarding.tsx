// SPDX-License-Identifier: Apache-2.0
import { type ReactNode, useState } from "react";
import type { Viewer } from "../../../../src/gen/flotilla/page/v1/page_pb.ts";
import { usePage } from "../../app/page-context.ts";
import { failureSentence, joinTokenService } from "../../app/services.ts";
import { CopyLine } from "../../parts/copy-line.tsx";
import { type JoinOffer, joinCommand, nameFault } from "./join-command.ts";
import styles from "./onboarding.module.css";

/** A day: long enough to hand the command to whoever runs the cluster. */
const ttlSeconds = 86_400;

/** What a hub without clusters shows: how the first one comes. The page changes by itself when it has. */
export function Onboarding(): ReactNode {
  const { viewer } = usePage();
  const [name, setName] = useState("my-cluster");
  const [offer, setOffer] = useState<Omit<JoinOffer, "clusterId">>();
  const [failure, setFailure] = useState("");
  const fault = nameFault(name);
  const createToken = async (): Promise<void> => {
    setFailure("");
    try {
      // For any name: it can still be changed in the command.
      const wish = { namePattern: "*", description: "from the page", uses: 1, ttlSeconds };
      const created = await joinTokenService.createJoinToken(wish);
      setOffer({ secret: created.secret, hubCa: created.hubCa, hubUrl: hubUrlOf(viewer) });
    } catch (reason) {
      setFailure(failureSentence(reason));
    }
  };
  return (
    <section className={styles["box"]}>
      <h2>No cluster has joined yet</h2>
      <p>
        Each cluster runs an agent that dials this hub. Nothing has to reach the cluster from outside, and the cluster
        appears here within seconds.
      </p>
      {viewer !== undefined && !viewer.canCreateJoinTokens ? (
        <p>You may not create join tokens on this hub; ask one of its administrators.</p>
      ) : (
        <ol className={styles["steps"]}>
          <li>
            <button type="button" className={styles["button"]} onClick={() => void createToken()}>
              Create a join token
            </button>{" "}
            It is good for one cluster, for a day.
          </li>
          <li>
            <label>
              Name the cluster{" "}
              <input
                className={styles["name"]}
                value={name}
                spellCheck={false}
                aria-invalid={fault !== ""}
                aria-describedby="name-fault"
                onChange={({ target }) => setName(target.value)}
              />
            </label>{" "}
            and run one command where kubectl reaches it.
            <p id="name-fault" role="status" className={styles["failure"]}>
              {fault}
            </p>
            {offer !== undefined && fault === "" && <CopyLine text={joinCommand({ ...offer, clusterId: name })} />}
          </li>
          <li>Watch the cluster appear here.</li>
        </ol>
      )}
      <p role="alert" className={styles["failure"]}>
        {failure}
      </p>
    </section>
  );
}

/** As the viewer reaches it, where that is by TLS; else as it says itself. */
function hubUrlOf(viewer: Viewer | undefined): string {
  const { protocol, origin } = globalThis.location;
  return protocol === "https:" ? origin : (viewer?.hubUrl ?? origin);
}
