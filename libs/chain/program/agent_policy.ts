/**
 * Program IDL in camelCase format in order to be used in JS/TS.
 *
 * Note that this is only a type helper and is not the actual IDL. The original
 * IDL can be found at `target/idl/agent_policy.json`.
 */
export type AgentPolicy = {
  "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ",
  "metadata": {
    "name": "agentPolicy",
    "version": "0.1.0",
    "spec": "0.1.0",
    "description": "USDC accounts for software agents under a spending policy"
  },
  "instructions": [
    {
      "name": "approveCharge",
      "docs": [
        "Approves a charge: a one-time key may move exactly the amount, inside the policy."
      ],
      "discriminator": [
        97,
        165,
        114,
        126,
        82,
        76,
        96,
        101
      ],
      "accounts": [
        {
          "name": "spender",
          "accounts": [
            {
              "name": "account",
              "docs": [
                "`validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints."
              ],
              "writable": true
            },
            {
              "name": "policy",
              "docs": [
                "The account's own policy, if it has one; `check` ties it."
              ],
              "optional": true
            },
            {
              "name": "authority",
              "signer": true
            },
            {
              "name": "operator",
              "docs": [
                "Signs at or above the thresholds of approval."
              ],
              "signer": true,
              "optional": true
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "mint"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            },
            {
              "name": "fleetPolicy",
              "docs": [
                "The policy of the fleet; `check` ties it."
              ],
              "optional": true
            }
          ]
        },
        {
          "name": "delegate"
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "approveChargeArgs"
            }
          }
        }
      ]
    },
    {
      "name": "checkPayment",
      "docs": [
        "A view: whether a single payment inside a session is allowed now."
      ],
      "discriminator": [
        72,
        135,
        4,
        215,
        74,
        184,
        11,
        45
      ],
      "accounts": [
        {
          "name": "account",
          "relations": [
            "session"
          ]
        },
        {
          "name": "policy",
          "docs": [
            "The account's own policy, if it has one."
          ],
          "optional": true
        },
        {
          "name": "session"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member, and its policy."
          ],
          "optional": true
        },
        {
          "name": "fleetPolicy",
          "optional": true
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "checkPaymentArgs"
            }
          }
        }
      ]
    },
    {
      "name": "closeAccount",
      "docs": [
        "Closes an account permanently, transfers what is left and returns the rent. Operator only."
      ],
      "discriminator": [
        125,
        255,
        149,
        14,
        110,
        34,
        72,
        24
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "policy",
          "docs": [
            "The account's own policy, if it has one."
          ],
          "writable": true,
          "optional": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "tokenAccount",
          "writable": true
        },
        {
          "name": "mint"
        },
        {
          "name": "creator",
          "writable": true
        },
        {
          "name": "destination",
          "writable": true,
          "optional": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member, which it leaves by this."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "closeChannel",
      "docs": [
        "Closes a channel purse whose channels are gone; finishes it first if that was not done. Authority or operator only."
      ],
      "discriminator": [
        0,
        104,
        36,
        1,
        66,
        0,
        103,
        157
      ],
      "accounts": [
        {
          "name": "sweeping",
          "accounts": [
            {
              "name": "account",
              "writable": true,
              "relations": [
                "purse"
              ]
            },
            {
              "name": "purse",
              "writable": true
            },
            {
              "name": "keyTokenAccount",
              "writable": true,
              "relations": [
                "purse"
              ]
            },
            {
              "name": "tokenAccount",
              "writable": true,
              "relations": [
                "account"
              ]
            },
            {
              "name": "mint"
            },
            {
              "name": "closer",
              "docs": [
                "The account's authority or operator; anyone after the deadline."
              ],
              "signer": true
            },
            {
              "name": "tokenProgram",
              "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
            },
            {
              "name": "eventAuthority"
            },
            {
              "name": "program",
              "docs": [
                "This program, which the event's CPI calls."
              ],
              "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            }
          ]
        },
        {
          "name": "rentPayer",
          "writable": true
        }
      ],
      "args": []
    },
    {
      "name": "closeExpiredSession",
      "docs": [
        "Pays the highest voucher and refunds the rest after the grace period. Anyone."
      ],
      "discriminator": [
        95,
        15,
        88,
        127,
        40,
        196,
        140,
        184
      ],
      "accounts": [
        {
          "name": "settlement",
          "accounts": [
            {
              "name": "account",
              "writable": true,
              "relations": [
                "session"
              ]
            },
            {
              "name": "session",
              "writable": true
            },
            {
              "name": "escrow",
              "writable": true,
              "relations": [
                "session"
              ]
            },
            {
              "name": "mint"
            },
            {
              "name": "payee",
              "relations": [
                "session"
              ]
            },
            {
              "name": "payeeTokenAccount",
              "writable": true,
              "relations": [
                "session"
              ]
            },
            {
              "name": "instructions",
              "optional": true,
              "address": "Sysvar1nstructions1111111111111111111111111"
            },
            {
              "name": "tokenProgram",
              "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            }
          ]
        },
        {
          "name": "tokenAccount",
          "writable": true
        },
        {
          "name": "rentPayer",
          "writable": true
        },
        {
          "name": "eventAuthority"
        },
        {
          "name": "program",
          "docs": [
            "This program, which the event's CPI calls."
          ],
          "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
        }
      ],
      "args": []
    },
    {
      "name": "closeFleet",
      "docs": [
        "Closes a fleet without members permanently and returns the rent. Operator only."
      ],
      "discriminator": [
        250,
        4,
        38,
        210,
        83,
        138,
        170,
        244
      ],
      "accounts": [
        {
          "name": "fleet",
          "writable": true
        },
        {
          "name": "policy",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "creator",
          "writable": true
        }
      ],
      "args": []
    },
    {
      "name": "closePolicyDraft",
      "docs": [
        "Closes a draft. The operator at any time; anyone if it is stale or its account is closed."
      ],
      "discriminator": [
        235,
        3,
        129,
        98,
        75,
        118,
        142,
        131
      ],
      "accounts": [
        {
          "name": "owner",
          "writable": true,
          "relations": [
            "draft"
          ]
        },
        {
          "name": "policy"
        },
        {
          "name": "draft",
          "writable": true
        },
        {
          "name": "rentPayer",
          "writable": true,
          "relations": [
            "draft"
          ]
        },
        {
          "name": "closer",
          "docs": [
            "The operator, or anyone if the draft is stale or the owner is closed."
          ],
          "signer": true
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member; required if the operator closes a draft that is not stale."
          ],
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "closeSession",
      "docs": [
        "Pays the highest voucher and refunds the rest, or starts the grace period. Authority or operator."
      ],
      "discriminator": [
        68,
        114,
        178,
        140,
        222,
        38,
        248,
        211
      ],
      "accounts": [
        {
          "name": "closing",
          "accounts": [
            {
              "name": "settlement",
              "accounts": [
                {
                  "name": "account",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "session",
                  "writable": true
                },
                {
                  "name": "escrow",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "mint"
                },
                {
                  "name": "payee",
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "payeeTokenAccount",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "instructions",
                  "optional": true,
                  "address": "Sysvar1nstructions1111111111111111111111111"
                },
                {
                  "name": "tokenProgram",
                  "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
                },
                {
                  "name": "fleet",
                  "docs": [
                    "The fleet of a member."
                  ],
                  "writable": true,
                  "optional": true
                }
              ]
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "rentPayer",
              "writable": true
            },
            {
              "name": "eventAuthority"
            },
            {
              "name": "program",
              "docs": [
                "This program, which the event's CPI calls."
              ],
              "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
            }
          ]
        },
        {
          "name": "closer",
          "docs": [
            "The account's authority or operator; anyone after the grace period."
          ],
          "signer": true
        },
        {
          "name": "payeeConsent",
          "docs": [
            "The payee's signature, which waives the grace period."
          ],
          "signer": true,
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "createAccount",
      "docs": [
        "Creates an account and its USDC token account; outside of a fleet also its policy (no limits). The creator pays the rent."
      ],
      "discriminator": [
        99,
        20,
        130,
        119,
        196,
        235,
        131,
        149
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "policy",
          "docs": [
            "The policy of an account outside of a fleet."
          ],
          "writable": true,
          "optional": true,
          "pda": {
            "seeds": [
              {
                "kind": "const",
                "value": [
                  112,
                  111,
                  108,
                  105,
                  99,
                  121
                ]
              },
              {
                "kind": "account",
                "path": "account"
              }
            ]
          }
        },
        {
          "name": "tokenAccount",
          "writable": true
        },
        {
          "name": "mint"
        },
        {
          "name": "creator",
          "writable": true,
          "signer": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "associatedTokenProgram",
          "address": "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet that the account is created in."
          ],
          "writable": true,
          "optional": true
        },
        {
          "name": "fleetSigner",
          "docs": [
            "The fleet's operator or guardian."
          ],
          "signer": true,
          "optional": true
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "createAccountArgs"
            }
          }
        }
      ]
    },
    {
      "name": "createFleet",
      "docs": [
        "Creates a fleet with its limits, and its policy (no limits). Operator only; the creator pays the rent."
      ],
      "discriminator": [
        76,
        123,
        81,
        82,
        235,
        228,
        156,
        203
      ],
      "accounts": [
        {
          "name": "fleet",
          "writable": true
        },
        {
          "name": "policy",
          "writable": true,
          "pda": {
            "seeds": [
              {
                "kind": "const",
                "value": [
                  112,
                  111,
                  108,
                  105,
                  99,
                  121
                ]
              },
              {
                "kind": "account",
                "path": "fleet"
              }
            ]
          }
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "creator",
          "writable": true,
          "signer": true
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "createFleetArgs"
            }
          }
        }
      ]
    },
    {
      "name": "createPolicyDraft",
      "docs": [
        "Creates a draft for lists that do not fit in one transaction. Operator only."
      ],
      "discriminator": [
        124,
        118,
        213,
        49,
        70,
        47,
        36,
        146
      ],
      "accounts": [
        {
          "name": "owner"
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "payer",
          "writable": true,
          "signer": true
        },
        {
          "name": "draft",
          "writable": true
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "optional": true
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "createPolicyDraftArgs"
            }
          }
        }
      ]
    },
    {
      "name": "endPolicy",
      "docs": [
        "Ends a member's own policy. Operator only."
      ],
      "discriminator": [
        37,
        5,
        166,
        76,
        81,
        67,
        246,
        25
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "policy",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "rentRecipient",
          "writable": true
        },
        {
          "name": "fleet",
          "optional": true
        }
      ],
      "args": [
        {
          "name": "expectedVersion",
          "type": "u64"
        }
      ]
    },
    {
      "name": "finishChannel",
      "docs": [
        "Counts as spent what of a channel purse did not come home and releases the rest. Authority or operator; anyone after its deadline."
      ],
      "discriminator": [
        168,
        235,
        28,
        124,
        132,
        153,
        7,
        143
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true,
          "relations": [
            "purse"
          ]
        },
        {
          "name": "purse",
          "writable": true
        },
        {
          "name": "keyTokenAccount",
          "writable": true,
          "relations": [
            "purse"
          ]
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "relations": [
            "account"
          ]
        },
        {
          "name": "mint"
        },
        {
          "name": "closer",
          "docs": [
            "The account's authority or operator; anyone after the deadline."
          ],
          "signer": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "eventAuthority"
        },
        {
          "name": "program",
          "docs": [
            "This program, which the event's CPI calls."
          ],
          "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "finishCharge",
      "docs": [
        "Revokes a charge's delegate and counts what was spent. Authority or operator; anyone after its deadline."
      ],
      "discriminator": [
        193,
        255,
        189,
        156,
        81,
        240,
        241,
        22
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "relations": [
            "account"
          ]
        },
        {
          "name": "closer",
          "docs": [
            "The account's authority or operator; anyone after the deadline."
          ],
          "signer": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "eventAuthority"
        },
        {
          "name": "program",
          "docs": [
            "This program, which the event's CPI calls."
          ],
          "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": [
        {
          "name": "seq",
          "type": "u64"
        }
      ]
    },
    {
      "name": "fleetSpending",
      "docs": [
        "A view: what the members of a fleet spent together, and its limits."
      ],
      "discriminator": [
        14,
        208,
        247,
        10,
        194,
        39,
        180,
        193
      ],
      "accounts": [
        {
          "name": "fleet"
        }
      ],
      "args": [],
      "returns": {
        "defined": {
          "name": "spendingReport"
        }
      }
    },
    {
      "name": "fundChannel",
      "docs": [
        "Funds a channel purse: moves an amount to a one-time key that opens payment channels with it, inside the policy."
      ],
      "discriminator": [
        50,
        67,
        3,
        71,
        190,
        169,
        20,
        207
      ],
      "accounts": [
        {
          "name": "spender",
          "accounts": [
            {
              "name": "account",
              "docs": [
                "`validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints."
              ],
              "writable": true
            },
            {
              "name": "policy",
              "docs": [
                "The account's own policy, if it has one; `check` ties it."
              ],
              "optional": true
            },
            {
              "name": "authority",
              "signer": true
            },
            {
              "name": "operator",
              "docs": [
                "Signs at or above the thresholds of approval."
              ],
              "signer": true,
              "optional": true
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "mint"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            },
            {
              "name": "fleetPolicy",
              "docs": [
                "The policy of the fleet; `check` ties it."
              ],
              "optional": true
            }
          ]
        },
        {
          "name": "purse",
          "writable": true
        },
        {
          "name": "key"
        },
        {
          "name": "keyTokenAccount",
          "writable": true
        },
        {
          "name": "payer",
          "docs": [
            "Pays the rent and gets it back; may be the account's creator but none of its other keys."
          ],
          "writable": true,
          "signer": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "fundChannelArgs"
            }
          }
        }
      ]
    },
    {
      "name": "growPolicy",
      "docs": [
        "Makes room in a policy for the lists of a draft. Anyone who pays the rent."
      ],
      "discriminator": [
        237,
        18,
        241,
        31,
        95,
        43,
        179,
        211
      ],
      "accounts": [
        {
          "name": "policy",
          "writable": true
        },
        {
          "name": "draft",
          "docs": [
            "The draft, which only the operator could create. Its owner is the policy's."
          ]
        },
        {
          "name": "payer",
          "docs": [
            "Pays the rent."
          ],
          "writable": true,
          "signer": true
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        }
      ],
      "args": []
    },
    {
      "name": "joinFleet",
      "docs": [
        "Adds an account of the same operator to a fleet. The fleet's operator or guardian."
      ],
      "discriminator": [
        255,
        58,
        55,
        201,
        251,
        187,
        150,
        52
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "fleet",
          "writable": true
        },
        {
          "name": "operator",
          "docs": [
            "The fleet's operator or guardian."
          ],
          "signer": true
        }
      ],
      "args": []
    },
    {
      "name": "leaveFleet",
      "docs": [
        "Takes an account out of its fleet. Operator only."
      ],
      "discriminator": [
        202,
        77,
        173,
        16,
        147,
        4,
        222,
        35
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "fleet",
          "writable": true,
          "optional": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "policy",
          "writable": true
        },
        {
          "name": "payer",
          "docs": [
            "Pays the rent of a new policy."
          ],
          "writable": true,
          "signer": true
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        }
      ],
      "args": []
    },
    {
      "name": "openSession",
      "docs": [
        "Opens a session: moves a cap for one payee into escrow, inside the policy."
      ],
      "discriminator": [
        130,
        54,
        124,
        7,
        236,
        20,
        104,
        104
      ],
      "accounts": [
        {
          "name": "spender",
          "accounts": [
            {
              "name": "account",
              "docs": [
                "`validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints."
              ],
              "writable": true
            },
            {
              "name": "policy",
              "docs": [
                "The account's own policy, if it has one; `check` ties it."
              ],
              "optional": true
            },
            {
              "name": "authority",
              "signer": true
            },
            {
              "name": "operator",
              "docs": [
                "Signs at or above the thresholds of approval."
              ],
              "signer": true,
              "optional": true
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "mint"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            },
            {
              "name": "fleetPolicy",
              "docs": [
                "The policy of the fleet; `check` ties it."
              ],
              "optional": true
            }
          ]
        },
        {
          "name": "session",
          "writable": true
        },
        {
          "name": "escrow",
          "writable": true
        },
        {
          "name": "payer",
          "docs": [
            "Pays the rent and gets it back; may be the account's creator but none of its other keys."
          ],
          "writable": true,
          "signer": true
        },
        {
          "name": "payee"
        },
        {
          "name": "payeeTokenAccount"
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "openSessionArgs"
            }
          }
        }
      ]
    },
    {
      "name": "returnSurplusRent",
      "docs": [
        "Gives back what an account or a fleet, and its policy, hold above today's minimum of rent. Anyone; to the creator."
      ],
      "discriminator": [
        74,
        185,
        60,
        108,
        119,
        254,
        166,
        200
      ],
      "accounts": [
        {
          "name": "owner",
          "writable": true
        },
        {
          "name": "policy",
          "docs": [
            "Its policy; may be left out."
          ],
          "writable": true,
          "optional": true
        },
        {
          "name": "creator",
          "writable": true
        }
      ],
      "args": []
    },
    {
      "name": "rotateAuthority",
      "docs": [
        "Replaces the authority and finishes the open charge. Operator only."
      ],
      "discriminator": [
        248,
        225,
        151,
        35,
        28,
        15,
        85,
        12
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "optional": true
        },
        {
          "name": "tokenProgram",
          "docs": [
            "Required while a charge is open."
          ],
          "optional": true,
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": [
        {
          "name": "newAuthority",
          "type": "pubkey"
        }
      ]
    },
    {
      "name": "setFleetLimits",
      "docs": [
        "Changes the named limits of a fleet. Operator only."
      ],
      "discriminator": [
        30,
        89,
        114,
        46,
        213,
        54,
        77,
        112
      ],
      "accounts": [
        {
          "name": "fleet",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true,
          "relations": [
            "fleet"
          ]
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "setFleetLimitsArgs"
            }
          }
        }
      ]
    },
    {
      "name": "setFleetOperator",
      "docs": [
        "Replaces the operator of a fleet and of all its members: the old one signs, and the new one signs too or has accepted."
      ],
      "discriminator": [
        66,
        252,
        231,
        231,
        177,
        114,
        145,
        10
      ],
      "accounts": [
        {
          "name": "fleet",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true,
          "relations": [
            "fleet"
          ]
        },
        {
          "name": "newOperator"
        },
        {
          "name": "instructions",
          "optional": true,
          "address": "Sysvar1nstructions1111111111111111111111111"
        }
      ],
      "args": []
    },
    {
      "name": "setOperator",
      "docs": [
        "Replaces the operator: the old one signs, and the new one signs too or has accepted."
      ],
      "discriminator": [
        238,
        153,
        101,
        169,
        243,
        131,
        36,
        1
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "newOperator"
        },
        {
          "name": "instructions",
          "optional": true,
          "address": "Sysvar1nstructions1111111111111111111111111"
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "optional": true
        },
        {
          "name": "tokenProgram",
          "docs": [
            "Required while a charge is open."
          ],
          "optional": true,
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        }
      ],
      "args": []
    },
    {
      "name": "setPolicy",
      "docs": [
        "Changes the named fields of the policy of an account or a fleet. Operator only; a fleet's guardian may pause it."
      ],
      "discriminator": [
        40,
        133,
        12,
        157,
        235,
        202,
        2,
        132
      ],
      "accounts": [
        {
          "name": "owner",
          "writable": true,
          "relations": [
            "draft"
          ]
        },
        {
          "name": "policy",
          "writable": true
        },
        {
          "name": "operator",
          "docs": [
            "The operator; to pause a fleet its guardian, too."
          ],
          "signer": true
        },
        {
          "name": "payer",
          "docs": [
            "Pays the rent if the policy grows."
          ],
          "writable": true,
          "signer": true
        },
        {
          "name": "rentRecipient",
          "writable": true,
          "optional": true
        },
        {
          "name": "draft",
          "docs": [
            "The draft with the staged lists; closed afterwards."
          ],
          "writable": true,
          "optional": true
        },
        {
          "name": "draftRentRecipient",
          "writable": true,
          "optional": true
        },
        {
          "name": "systemProgram",
          "address": "11111111111111111111111111111111"
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "optional": true
        },
        {
          "name": "tokenProgram",
          "docs": [
            "Required to pause while a charge is open."
          ],
          "optional": true,
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "setPolicyArgs"
            }
          }
        }
      ]
    },
    {
      "name": "settleSession",
      "docs": [
        "Pays the payee what a voucher proves. Anyone, until the session is closed."
      ],
      "discriminator": [
        156,
        20,
        180,
        117,
        117,
        85,
        225,
        128
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true,
          "relations": [
            "session"
          ]
        },
        {
          "name": "session",
          "writable": true
        },
        {
          "name": "escrow",
          "writable": true,
          "relations": [
            "session"
          ]
        },
        {
          "name": "mint"
        },
        {
          "name": "payee",
          "relations": [
            "session"
          ]
        },
        {
          "name": "payeeTokenAccount",
          "writable": true,
          "relations": [
            "session"
          ]
        },
        {
          "name": "instructions",
          "optional": true,
          "address": "Sysvar1nstructions1111111111111111111111111"
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "spending",
      "docs": [
        "A view: what can still be spent now, and when spent amounts are released."
      ],
      "discriminator": [
        250,
        240,
        0,
        5,
        116,
        26,
        196,
        251
      ],
      "accounts": [
        {
          "name": "account"
        },
        {
          "name": "policy",
          "docs": [
            "The account's own policy, if it has one."
          ],
          "optional": true
        },
        {
          "name": "tokenAccount",
          "relations": [
            "account"
          ]
        }
      ],
      "args": [],
      "returns": {
        "defined": {
          "name": "spendingReport"
        }
      }
    },
    {
      "name": "sweepChannel",
      "docs": [
        "Moves home what lies in a channel purse. Authority or operator; anyone after its deadline."
      ],
      "discriminator": [
        48,
        126,
        204,
        137,
        104,
        194,
        124,
        170
      ],
      "accounts": [
        {
          "name": "account",
          "writable": true,
          "relations": [
            "purse"
          ]
        },
        {
          "name": "purse",
          "writable": true
        },
        {
          "name": "keyTokenAccount",
          "writable": true,
          "relations": [
            "purse"
          ]
        },
        {
          "name": "tokenAccount",
          "writable": true,
          "relations": [
            "account"
          ]
        },
        {
          "name": "mint"
        },
        {
          "name": "closer",
          "docs": [
            "The account's authority or operator; anyone after the deadline."
          ],
          "signer": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "eventAuthority"
        },
        {
          "name": "program",
          "docs": [
            "This program, which the event's CPI calls."
          ],
          "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "writable": true,
          "optional": true
        }
      ],
      "args": []
    },
    {
      "name": "sweepClosedAccount",
      "docs": [
        "Transfers money that arrived at a closed account. Its operator only."
      ],
      "discriminator": [
        27,
        195,
        117,
        212,
        104,
        4,
        127,
        80
      ],
      "accounts": [
        {
          "name": "account"
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "tokenAccount",
          "writable": true
        },
        {
          "name": "mint"
        },
        {
          "name": "destination",
          "writable": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        },
        {
          "name": "fleet",
          "optional": true
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "sweepClosedAccountArgs"
            }
          }
        }
      ]
    },
    {
      "name": "topUpSession",
      "docs": [
        "Raises an open session's cap, inside the policy."
      ],
      "discriminator": [
        38,
        46,
        22,
        233,
        201,
        167,
        226,
        28
      ],
      "accounts": [
        {
          "name": "spender",
          "accounts": [
            {
              "name": "account",
              "docs": [
                "`validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints."
              ],
              "writable": true
            },
            {
              "name": "policy",
              "docs": [
                "The account's own policy, if it has one; `check` ties it."
              ],
              "optional": true
            },
            {
              "name": "authority",
              "signer": true
            },
            {
              "name": "operator",
              "docs": [
                "Signs at or above the thresholds of approval."
              ],
              "signer": true,
              "optional": true
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "mint"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            },
            {
              "name": "fleetPolicy",
              "docs": [
                "The policy of the fleet; `check` ties it."
              ],
              "optional": true
            }
          ]
        },
        {
          "name": "session",
          "writable": true
        },
        {
          "name": "escrow",
          "writable": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "topUpSessionArgs"
            }
          }
        }
      ]
    },
    {
      "name": "transfer",
      "docs": [
        "Transfers USDC to a token account, inside the policy."
      ],
      "discriminator": [
        163,
        52,
        200,
        231,
        140,
        3,
        69,
        186
      ],
      "accounts": [
        {
          "name": "spender",
          "accounts": [
            {
              "name": "account",
              "docs": [
                "`validate` ties it to the keys and the token account: loading it once for that is cheaper than constraints."
              ],
              "writable": true
            },
            {
              "name": "policy",
              "docs": [
                "The account's own policy, if it has one; `check` ties it."
              ],
              "optional": true
            },
            {
              "name": "authority",
              "signer": true
            },
            {
              "name": "operator",
              "docs": [
                "Signs at or above the thresholds of approval."
              ],
              "signer": true,
              "optional": true
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "mint"
            },
            {
              "name": "fleet",
              "docs": [
                "The fleet of a member."
              ],
              "writable": true,
              "optional": true
            },
            {
              "name": "fleetPolicy",
              "docs": [
                "The policy of the fleet; `check` ties it."
              ],
              "optional": true
            }
          ]
        },
        {
          "name": "destination",
          "writable": true
        },
        {
          "name": "tokenProgram",
          "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
        }
      ],
      "args": [
        {
          "name": "args",
          "type": {
            "defined": {
              "name": "transferArgs"
            }
          }
        }
      ]
    },
    {
      "name": "writeOffSession",
      "docs": [
        "Takes back what a session owes to a payee that could not receive it for 90 days. Operator only."
      ],
      "discriminator": [
        236,
        3,
        117,
        24,
        177,
        0,
        202,
        50
      ],
      "accounts": [
        {
          "name": "closing",
          "accounts": [
            {
              "name": "settlement",
              "accounts": [
                {
                  "name": "account",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "session",
                  "writable": true
                },
                {
                  "name": "escrow",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "mint"
                },
                {
                  "name": "payee",
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "payeeTokenAccount",
                  "writable": true,
                  "relations": [
                    "session"
                  ]
                },
                {
                  "name": "instructions",
                  "optional": true,
                  "address": "Sysvar1nstructions1111111111111111111111111"
                },
                {
                  "name": "tokenProgram",
                  "address": "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
                },
                {
                  "name": "fleet",
                  "docs": [
                    "The fleet of a member."
                  ],
                  "writable": true,
                  "optional": true
                }
              ]
            },
            {
              "name": "tokenAccount",
              "writable": true
            },
            {
              "name": "rentPayer",
              "writable": true
            },
            {
              "name": "eventAuthority"
            },
            {
              "name": "program",
              "docs": [
                "This program, which the event's CPI calls."
              ],
              "address": "5kJ2UwZKvKy5FnPbGexgNVUfzn6hLptPFs4zkbMZTbAZ"
            }
          ]
        },
        {
          "name": "operator",
          "signer": true
        }
      ],
      "args": []
    },
    {
      "name": "writePolicyDraft",
      "docs": [
        "Writes a part of a draft. Operator only."
      ],
      "discriminator": [
        86,
        228,
        2,
        68,
        202,
        142,
        229,
        5
      ],
      "accounts": [
        {
          "name": "owner",
          "relations": [
            "draft"
          ]
        },
        {
          "name": "operator",
          "signer": true
        },
        {
          "name": "draft",
          "writable": true
        },
        {
          "name": "fleet",
          "docs": [
            "The fleet of a member."
          ],
          "optional": true
        }
      ],
      "args": [
        {
          "name": "offset",
          "type": "u32"
        },
        {
          "name": "content",
          "type": "bytes"
        }
      ]
    }
  ],
  "accounts": [
    {
      "name": "agentAccount",
      "discriminator": [
        241,
        119,
        69,
        140,
        233,
        9,
        112,
        50
      ]
    },
    {
      "name": "channelPurse",
      "discriminator": [
        55,
        99,
        87,
        122,
        132,
        56,
        87,
        182
      ]
    },
    {
      "name": "closedAccount",
      "discriminator": [
        255,
        255,
        255,
        255,
        255,
        255,
        255,
        255
      ]
    },
    {
      "name": "fleet",
      "discriminator": [
        109,
        207,
        251,
        48,
        106,
        2,
        136,
        163
      ]
    },
    {
      "name": "policy",
      "discriminator": [
        222,
        135,
        7,
        163,
        235,
        177,
        33,
        68
      ]
    },
    {
      "name": "policyDraft",
      "discriminator": [
        166,
        118,
        120,
        202,
        10,
        11,
        62,
        213
      ]
    },
    {
      "name": "session",
      "discriminator": [
        243,
        81,
        72,
        115,
        214,
        188,
        72,
        144
      ]
    }
  ],
  "events": [
    {
      "name": "accountClosed",
      "discriminator": [
        19,
        250,
        79,
        236,
        91,
        80,
        148,
        48
      ]
    },
    {
      "name": "accountSwept",
      "discriminator": [
        177,
        78,
        156,
        134,
        240,
        230,
        85,
        133
      ]
    },
    {
      "name": "authorityRotated",
      "discriminator": [
        89,
        124,
        120,
        223,
        3,
        19,
        185,
        230
      ]
    },
    {
      "name": "channelClosed",
      "discriminator": [
        119,
        198,
        23,
        254,
        216,
        124,
        84,
        16
      ]
    },
    {
      "name": "channelFinished",
      "discriminator": [
        197,
        204,
        98,
        146,
        169,
        161,
        0,
        232
      ]
    },
    {
      "name": "channelFunded",
      "discriminator": [
        169,
        204,
        168,
        12,
        39,
        168,
        227,
        135
      ]
    },
    {
      "name": "channelSwept",
      "discriminator": [
        157,
        38,
        183,
        208,
        196,
        32,
        249,
        105
      ]
    },
    {
      "name": "chargeApproved",
      "discriminator": [
        110,
        65,
        233,
        20,
        128,
        78,
        155,
        211
      ]
    },
    {
      "name": "chargeFinished",
      "discriminator": [
        25,
        203,
        166,
        236,
        29,
        17,
        152,
        4
      ]
    },
    {
      "name": "fleetClosed",
      "discriminator": [
        13,
        132,
        142,
        193,
        77,
        71,
        189,
        181
      ]
    },
    {
      "name": "fleetCreated",
      "discriminator": [
        48,
        5,
        59,
        55,
        105,
        115,
        192,
        190
      ]
    },
    {
      "name": "fleetJoined",
      "discriminator": [
        144,
        78,
        237,
        40,
        191,
        121,
        249,
        141
      ]
    },
    {
      "name": "fleetLeft",
      "discriminator": [
        192,
        186,
        239,
        231,
        222,
        114,
        0,
        145
      ]
    },
    {
      "name": "fleetLimitsChanged",
      "discriminator": [
        189,
        237,
        79,
        219,
        239,
        111,
        101,
        215
      ]
    },
    {
      "name": "fleetOperatorChanged",
      "discriminator": [
        240,
        243,
        103,
        148,
        60,
        172,
        243,
        195
      ]
    },
    {
      "name": "operatorChanged",
      "discriminator": [
        231,
        79,
        62,
        226,
        190,
        139,
        176,
        51
      ]
    },
    {
      "name": "policyChanged",
      "discriminator": [
        248,
        184,
        113,
        45,
        123,
        255,
        43,
        248
      ]
    },
    {
      "name": "policyEnded",
      "discriminator": [
        166,
        115,
        94,
        152,
        236,
        189,
        172,
        23
      ]
    },
    {
      "name": "policyViolated",
      "discriminator": [
        219,
        243,
        61,
        91,
        179,
        70,
        81,
        204
      ]
    },
    {
      "name": "sessionClosed",
      "discriminator": [
        57,
        237,
        11,
        243,
        194,
        34,
        120,
        27
      ]
    },
    {
      "name": "sessionClosing",
      "discriminator": [
        171,
        175,
        101,
        107,
        108,
        22,
        200,
        197
      ]
    },
    {
      "name": "sessionOpened",
      "discriminator": [
        34,
        79,
        77,
        95,
        195,
        207,
        104,
        223
      ]
    },
    {
      "name": "sessionSettled",
      "discriminator": [
        127,
        161,
        59,
        136,
        23,
        168,
        191,
        149
      ]
    },
    {
      "name": "sessionToppedUp",
      "discriminator": [
        3,
        83,
        18,
        81,
        116,
        179,
        58,
        150
      ]
    },
    {
      "name": "sessionWrittenOff",
      "discriminator": [
        220,
        17,
        187,
        235,
        240,
        113,
        123,
        173
      ]
    },
    {
      "name": "surplusRentReturned",
      "discriminator": [
        118,
        156,
        3,
        64,
        49,
        142,
        42,
        16
      ]
    },
    {
      "name": "transferred",
      "discriminator": [
        21,
        132,
        239,
        64,
        146,
        239,
        166,
        68
      ]
    }
  ],
  "errors": [
    {
      "code": 6000,
      "name": "paused",
      "msg": "The account is paused"
    },
    {
      "code": 6001,
      "name": "maxSingleTransfer",
      "msg": "The amount is above max_single_transfer"
    },
    {
      "code": 6002,
      "name": "allowedCounterparties",
      "msg": "The recipient is not among allowed_counterparties"
    },
    {
      "code": 6003,
      "name": "categories",
      "msg": "The category is missing or not among categories"
    },
    {
      "code": 6004,
      "name": "requireMemo",
      "msg": "A memo is required"
    },
    {
      "code": 6005,
      "name": "maxDailySpend",
      "msg": "The amount does not fit into max_daily_spend"
    },
    {
      "code": 6006,
      "name": "insufficientBalance",
      "msg": "The account holds less than the amount"
    },
    {
      "code": 6007,
      "name": "escalationThreshold",
      "msg": "The amount reaches escalation_threshold and the operator has not signed"
    },
    {
      "code": 6008,
      "name": "alreadyExecuted",
      "msg": "This sequence number was spent before"
    },
    {
      "code": 6009,
      "name": "seqTooOld",
      "msg": "This sequence number is below the replay window"
    },
    {
      "code": 6010,
      "name": "seqTooFar",
      "msg": "This sequence number is too far above the highest spent one"
    },
    {
      "code": 6011,
      "name": "wrongAuthority",
      "msg": "The signer is not this account's authority"
    },
    {
      "code": 6012,
      "name": "wrongOperator",
      "msg": "The signer is not this account's operator"
    },
    {
      "code": 6013,
      "name": "keysNotDistinct",
      "msg": "Operator, authority and creator must be three different keys"
    },
    {
      "code": 6014,
      "name": "wrongMint",
      "msg": "The mint is not this account's mint"
    },
    {
      "code": 6015,
      "name": "wrongTokenAccount",
      "msg": "The token account is not this account's token account"
    },
    {
      "code": 6016,
      "name": "wrongPolicy",
      "msg": "The policy belongs to another account"
    },
    {
      "code": 6017,
      "name": "wrongRentRecipient",
      "msg": "The rent must go to the key that paid it"
    },
    {
      "code": 6018,
      "name": "amountZero",
      "msg": "The amount must be above zero"
    },
    {
      "code": 6019,
      "name": "invalidDestination",
      "msg": "The destination is no token account of this mint"
    },
    {
      "code": 6020,
      "name": "destinationFrozen",
      "msg": "The destination is frozen"
    },
    {
      "code": 6021,
      "name": "destinationIsSource",
      "msg": "The destination is the source"
    },
    {
      "code": 6022,
      "name": "sourceFrozen",
      "msg": "The source token account is frozen or not initialised"
    },
    {
      "code": 6023,
      "name": "sourceDelegated",
      "msg": "The source token account has a delegate or a close authority"
    },
    {
      "code": 6024,
      "name": "unexpectedBalance",
      "msg": "The token program did not move exactly the amount"
    },
    {
      "code": 6025,
      "name": "policyVersionMismatch",
      "msg": "The policy has another version by now"
    },
    {
      "code": 6026,
      "name": "policyVersionRequired",
      "msg": "Only pausing alone may leave out the expected version"
    },
    {
      "code": 6027,
      "name": "tooManyCounterparties",
      "msg": "The policy of an account lists at most 128 counterparties, that of a fleet 1,024"
    },
    {
      "code": 6028,
      "name": "tooManyCategories",
      "msg": "A policy lists at most 32 categories"
    },
    {
      "code": 6029,
      "name": "draftMissing",
      "msg": "A staged list needs its draft, and a draft needs a staged list"
    },
    {
      "code": 6030,
      "name": "wrongDraft",
      "msg": "The draft is for another account or version"
    },
    {
      "code": 6031,
      "name": "draftHashMismatch",
      "msg": "The draft's content is not what its hash promised"
    },
    {
      "code": 6032,
      "name": "draftOutOfBounds",
      "msg": "The write lies outside of the draft"
    },
    {
      "code": 6033,
      "name": "draftInUse",
      "msg": "Only the operator may close this draft now"
    },
    {
      "code": 6034,
      "name": "accountInUse",
      "msg": "The account still holds money, or money is reserved, or a session is open"
    },
    {
      "code": 6035,
      "name": "overflow",
      "msg": "A sum does not fit into 64 bits"
    },
    {
      "code": 6036,
      "name": "clockInvalid",
      "msg": "The chain's clock is before 1970"
    },
    {
      "code": 6037,
      "name": "tooManySessions",
      "msg": "At most 64 sessions are open at a time"
    },
    {
      "code": 6038,
      "name": "sessionDurationInvalid",
      "msg": "A session is open for 60 seconds to 30 days, and its grace period lasts at most a day"
    },
    {
      "code": 6039,
      "name": "wrongSession",
      "msg": "The session belongs to another account"
    },
    {
      "code": 6040,
      "name": "wrongEscrow",
      "msg": "The escrow is not this session's"
    },
    {
      "code": 6041,
      "name": "wrongPayee",
      "msg": "The payee, or its token account, is not this session's"
    },
    {
      "code": 6042,
      "name": "sessionNotOpen",
      "msg": "The session is closing or has ended"
    },
    {
      "code": 6043,
      "name": "sessionExpired",
      "msg": "The session has expired"
    },
    {
      "code": 6044,
      "name": "sessionInUse",
      "msg": "Only the account's authority or operator may close this session now"
    },
    {
      "code": 6045,
      "name": "escrowFrozen",
      "msg": "The escrow is frozen"
    },
    {
      "code": 6046,
      "name": "payeeBlocked",
      "msg": "The payee's token account cannot receive"
    },
    {
      "code": 6047,
      "name": "voucherMissing",
      "msg": "No ed25519 instruction stands immediately before"
    },
    {
      "code": 6048,
      "name": "voucherMalformed",
      "msg": "The ed25519 instruction is not exactly one signature of 50 bytes in the canonical layout"
    },
    {
      "code": 6049,
      "name": "voucherWrongKey",
      "msg": "The voucher is signed by another key than the session's"
    },
    {
      "code": 6050,
      "name": "voucherWrongSession",
      "msg": "The voucher is for another session, or of another kind"
    },
    {
      "code": 6051,
      "name": "voucherExpired",
      "msg": "The voucher has expired"
    },
    {
      "code": 6052,
      "name": "voucherAboveCap",
      "msg": "The voucher is above the session's cap"
    },
    {
      "code": 6053,
      "name": "chargeOpen",
      "msg": "A charge is open"
    },
    {
      "code": 6054,
      "name": "chargeNotOpen",
      "msg": "No charge with this number is open"
    },
    {
      "code": 6055,
      "name": "chargeInUse",
      "msg": "Only the account's authority or operator may finish this charge before its deadline"
    },
    {
      "code": 6056,
      "name": "chargeDurationInvalid",
      "msg": "A charge may be used for 1 to 3,600 seconds"
    },
    {
      "code": 6057,
      "name": "delegateUsed",
      "msg": "The delegate was used for the charge before"
    },
    {
      "code": 6058,
      "name": "addressTaken",
      "msg": "An account lies at the address already"
    },
    {
      "code": 6059,
      "name": "maxSessionCap",
      "msg": "The session's cap is above max_session_cap"
    },
    {
      "code": 6060,
      "name": "unsupportedVersion",
      "msg": "The account has a layout version that this program does not read"
    },
    {
      "code": 6061,
      "name": "sessionNotOwed",
      "msg": "The session owes its payee nothing"
    },
    {
      "code": 6062,
      "name": "claimNotExpired",
      "msg": "What is owed may be written off 90 days after the session ended"
    },
    {
      "code": 6063,
      "name": "payeeCanReceive",
      "msg": "The payee can receive: settle the session instead"
    },
    {
      "code": 6064,
      "name": "invariantViolated",
      "msg": "The account's new state would break its invariant"
    },
    {
      "code": 6065,
      "name": "notAccepted",
      "msg": "The new operator neither signs nor has accepted the account"
    },
    {
      "code": 6066,
      "name": "voucherKeyInvalid",
      "msg": "The voucher key is a point of small order, whose signatures the runtime rejects"
    },
    {
      "code": 6067,
      "name": "validUntil",
      "msg": "The policy is no longer valid, or the session or charge would outlive it"
    },
    {
      "code": 6068,
      "name": "maxMonthlySpend",
      "msg": "The amount does not fit into max_monthly_spend"
    },
    {
      "code": 6069,
      "name": "maxLifetimeSpend",
      "msg": "The amount does not fit into max_lifetime_spend"
    },
    {
      "code": 6070,
      "name": "approvalAboveDailySum",
      "msg": "What is spent in a day rises above approval_above_daily_sum and the operator has not signed"
    },
    {
      "code": 6071,
      "name": "fleetPaused",
      "msg": "The fleet is paused"
    },
    {
      "code": 6072,
      "name": "fleetValidUntil",
      "msg": "The fleet's policy is no longer valid, or the session or charge would outlive it"
    },
    {
      "code": 6073,
      "name": "fleetMaxSingleTransfer",
      "msg": "The amount is above the fleet's max_single_transfer"
    },
    {
      "code": 6074,
      "name": "fleetMaxSessionCap",
      "msg": "The session's cap is above the fleet's max_session_cap"
    },
    {
      "code": 6075,
      "name": "fleetAllowedCounterparties",
      "msg": "The recipient is not among the fleet's allowed_counterparties"
    },
    {
      "code": 6076,
      "name": "fleetCategories",
      "msg": "The category is missing or not among the fleet's categories"
    },
    {
      "code": 6077,
      "name": "fleetRequireMemo",
      "msg": "The fleet requires a memo"
    },
    {
      "code": 6078,
      "name": "fleetMaxDailySpend",
      "msg": "The amount does not fit into the max_daily_spend of the fleet's policy"
    },
    {
      "code": 6079,
      "name": "fleetMaxMonthlySpend",
      "msg": "The amount does not fit into the max_monthly_spend of the fleet's policy"
    },
    {
      "code": 6080,
      "name": "fleetMaxLifetimeSpend",
      "msg": "The amount does not fit into the max_lifetime_spend of the fleet's policy"
    },
    {
      "code": 6081,
      "name": "fleetEscalationThreshold",
      "msg": "The amount reaches the fleet's escalation_threshold and the operator has not signed"
    },
    {
      "code": 6082,
      "name": "fleetApprovalAboveDailySum",
      "msg": "What is spent in a day rises above the fleet's approval_above_daily_sum and the operator has not signed"
    },
    {
      "code": 6083,
      "name": "fleetLimitsMaxDailySpend",
      "msg": "The amount does not fit into the max_daily_spend of all members"
    },
    {
      "code": 6084,
      "name": "fleetLimitsMaxMonthlySpend",
      "msg": "The amount does not fit into the max_monthly_spend of all members"
    },
    {
      "code": 6085,
      "name": "fleetLimitsMaxLifetimeSpend",
      "msg": "The amount does not fit into the max_lifetime_spend of all members"
    },
    {
      "code": 6086,
      "name": "fleetMissing",
      "msg": "The account belongs to a fleet, which must be named"
    },
    {
      "code": 6087,
      "name": "wrongFleet",
      "msg": "The account belongs to another fleet, or to none"
    },
    {
      "code": 6088,
      "name": "inFleet",
      "msg": "The account belongs to a fleet: its operator is the fleet's"
    },
    {
      "code": 6089,
      "name": "fleetInUse",
      "msg": "The fleet still has members"
    },
    {
      "code": 6090,
      "name": "amountsReserved",
      "msg": "Money is reserved by an open session or charge"
    },
    {
      "code": 6091,
      "name": "limitsVersionMismatch",
      "msg": "The limits have another version by now"
    },
    {
      "code": 6092,
      "name": "channelDurationInvalid",
      "msg": "A channel purse may be used for 1 to 691,200 seconds"
    },
    {
      "code": 6093,
      "name": "wrongKeyTokenAccount",
      "msg": "The token account is not the key's own, or the purse may not sweep and close it"
    },
    {
      "code": 6094,
      "name": "wrongChannelPurse",
      "msg": "The channel purse belongs to another account or number"
    },
    {
      "code": 6095,
      "name": "channelNotOpen",
      "msg": "The channel purse was finished before"
    },
    {
      "code": 6096,
      "name": "channelOpen",
      "msg": "The channel purse must be finished first"
    },
    {
      "code": 6097,
      "name": "channelInUse",
      "msg": "Only the account's authority or operator may do this with the channel purse now"
    }
  ],
  "types": [
    {
      "name": "accountClosed",
      "docs": [
        "An account was closed permanently."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The account."
            ],
            "type": "pubkey"
          },
          {
            "name": "swept",
            "docs": [
              "Micro-USDC that were left and moved to `destination`."
            ],
            "type": "u64"
          },
          {
            "name": "destination",
            "docs": [
              "The token account that was credited; the default key if nothing was left."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "accountSwept",
      "docs": [
        "Money that arrived at a closed account was transferred."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The closed account."
            ],
            "type": "pubkey"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC."
            ],
            "type": "u64"
          },
          {
            "name": "destination",
            "docs": [
              "The token account that was credited."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "agentAccount",
      "docs": [
        "PDA `[\"account\", creator, id]`; owns the USDC token account."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "version",
            "docs": [
              "Layout version, `LAYOUT_VERSION`."
            ],
            "type": "u8"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          },
          {
            "name": "isMember",
            "docs": [
              "1 if `controller` is a fleet."
            ],
            "type": "u8"
          },
          {
            "name": "hasPolicy",
            "docs": [
              "1 if the account has a policy of its own. Only a member may have none."
            ],
            "type": "u8"
          },
          {
            "name": "channelPurses",
            "docs": [
              "Number of channel purses that are not closed; sweeping them needs this account."
            ],
            "type": "u32"
          },
          {
            "name": "id",
            "docs": [
              "Id that the creator chose; part of the address."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "creator",
            "docs": [
              "The key that created the account, paid its rent and gets the rent back. Never changes."
            ],
            "type": "pubkey"
          },
          {
            "name": "controller",
            "docs": [
              "The operator, or the fleet, whose operator is the account's. Only `operator` of `shared/controller.rs` reads it as a key."
            ],
            "type": "pubkey"
          },
          {
            "name": "authority",
            "docs": [
              "The key that spends inside the policy."
            ],
            "type": "pubkey"
          },
          {
            "name": "tokenAccount",
            "docs": [
              "The associated token account of this address, whose mint is that of the account's money."
            ],
            "type": "pubkey"
          },
          {
            "name": "openSessions",
            "docs": [
              "Number of open sessions, at most `MAX_OPEN_SESSIONS`."
            ],
            "type": "u32"
          },
          {
            "name": "owedSessions",
            "docs": [
              "Number of sessions that closed while their payee could not receive; settling them needs this account."
            ],
            "type": "u32"
          },
          {
            "name": "tally",
            "docs": [
              "What left, and what open sessions and the open charge may still pay out."
            ],
            "type": {
              "defined": {
                "name": "tally"
              }
            }
          },
          {
            "name": "replay",
            "docs": [
              "Used nonces."
            ],
            "type": {
              "defined": {
                "name": "replayWindow"
              }
            }
          },
          {
            "name": "charge",
            "docs": [
              "The open charge, or the last one."
            ],
            "type": {
              "defined": {
                "name": "charge"
              }
            }
          }
        ]
      }
    },
    {
      "name": "amountChange",
      "docs": [
        "Change of a limit."
      ],
      "type": {
        "kind": "enum",
        "variants": [
          {
            "name": "keep"
          },
          {
            "name": "clear"
          },
          {
            "name": "set",
            "fields": [
              {
                "name": "amount",
                "type": "u64"
              }
            ]
          }
        ]
      }
    },
    {
      "name": "approveChargeArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "seq",
            "docs": [
              "The nonce that the charge uses up."
            ],
            "type": "u64"
          },
          {
            "name": "chargeId",
            "docs": [
              "The service's id of the charge."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC, above zero."
            ],
            "type": "u64"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          },
          {
            "name": "expiresInSeconds",
            "docs": [
              "Seconds from now, by the chain's clock, after which anyone may finish the charge."
            ],
            "type": "u32"
          },
          {
            "name": "purse",
            "docs": [
              "Whether it is a purse, for many payments: then `max_session_cap` applies to it too."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "authorityRotated",
      "docs": [
        "An account's authority was replaced."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The account."
            ],
            "type": "pubkey"
          },
          {
            "name": "authority",
            "docs": [
              "The new authority."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "channelClosed",
      "docs": [
        "A channel purse was closed."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "purse",
            "docs": [
              "The purse's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "purseId",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "swept",
            "docs": [
              "Micro-USDC moved home since it was funded."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "channelFinished",
      "docs": [
        "A channel purse was finished: nothing is reserved for it any more."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "purse",
            "docs": [
              "The purse's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "purseId",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that the funding used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC funded."
            ],
            "type": "u64"
          },
          {
            "name": "spent",
            "docs": [
              "Micro-USDC that did not come home; they count as spent."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "channelFunded",
      "docs": [
        "A channel purse was funded; the amount is reserved."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "purse",
            "docs": [
              "The purse's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "purseId",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that it used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC moved to the key."
            ],
            "type": "u64"
          },
          {
            "name": "key",
            "docs": [
              "The purse's one-time key."
            ],
            "type": "pubkey"
          },
          {
            "name": "keyTokenAccount",
            "docs": [
              "The key's token account, which was credited."
            ],
            "type": "pubkey"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "deadline",
            "docs": [
              "Unix seconds from which on anyone may sweep and finish it."
            ],
            "type": "i64"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that allowed it."
            ],
            "type": "u64"
          },
          {
            "name": "approved",
            "docs": [
              "Whether the operator signed as well."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "channelPurse",
      "docs": [
        "PDA `[\"channel_purse\", account, seq]`; delegate and close authority of the key's token account. A nonce is used once, ever, so no",
        "address is used twice."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "version",
            "docs": [
              "Layout version, `LAYOUT_VERSION`."
            ],
            "type": "u8"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          },
          {
            "name": "finished",
            "docs": [
              "1 if what is missing was counted as spent: nothing is reserved for it any more."
            ],
            "type": "u8"
          },
          {
            "name": "padding",
            "docs": [
              "Alignment."
            ],
            "type": {
              "array": [
                "u8",
                5
              ]
            }
          },
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "id",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "key",
            "docs": [
              "The one-time key, which signs the sellers' transactions."
            ],
            "type": "pubkey"
          },
          {
            "name": "keyTokenAccount",
            "docs": [
              "The key's associated token account."
            ],
            "type": "pubkey"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "rentPayer",
            "docs": [
              "The key that paid the rent of this account and gets it back, and with it the rent of the key's token account."
            ],
            "type": "pubkey"
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that funding it used up; part of the address."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC moved to the key."
            ],
            "type": "u64"
          },
          {
            "name": "swept",
            "docs": [
              "Micro-USDC moved home. Above `amount` only if others sent money to the key."
            ],
            "type": "u64"
          },
          {
            "name": "deadline",
            "docs": [
              "Unix seconds from which on anyone may sweep and finish it."
            ],
            "type": "i64"
          },
          {
            "name": "unused",
            "docs": [
              "Room for later fields; zero until then."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          }
        ]
      }
    },
    {
      "name": "channelSwept",
      "docs": [
        "Money of a channel purse moved home."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The `AgentAccount`, whose token account was credited."
            ],
            "type": "pubkey"
          },
          {
            "name": "purse",
            "docs": [
              "The purse's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "purseId",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC moved now."
            ],
            "type": "u64"
          },
          {
            "name": "swept",
            "docs": [
              "Micro-USDC moved home since it was funded."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "charge",
      "docs": [
        "The account's charge: an SPL delegate that may move `amount` out of the token account. At most one is open."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "id",
            "docs": [
              "The service's id of the charge."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "delegate",
            "docs": [
              "The SPL delegate. Kept after the charge is finished, so that the next charge must use another key."
            ],
            "type": "pubkey"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC approved; 0 if no charge is open."
            ],
            "type": "u64"
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that the approval used up."
            ],
            "type": "u64"
          },
          {
            "name": "deadline",
            "docs": [
              "Unix seconds from which on anyone may finish it."
            ],
            "type": "i64"
          }
        ]
      }
    },
    {
      "name": "chargeApproved",
      "docs": [
        "A charge was approved: its delegate may move exactly the amount."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "chargeId",
            "docs": [
              "The service's id of the charge."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that it used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC."
            ],
            "type": "u64"
          },
          {
            "name": "delegate",
            "docs": [
              "The charge's one-time key."
            ],
            "type": "pubkey"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "deadline",
            "docs": [
              "Unix seconds from which on anyone may finish it."
            ],
            "type": "i64"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that allowed it."
            ],
            "type": "u64"
          },
          {
            "name": "approved",
            "docs": [
              "Whether the operator signed as well."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "chargeFinished",
      "docs": [
        "A charge was finished: its delegate can move nothing more."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "chargeId",
            "docs": [
              "The service's id of the charge."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that the approval used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC approved."
            ],
            "type": "u64"
          },
          {
            "name": "spent",
            "docs": [
              "Micro-USDC missing from the allowance; they count as spent."
            ],
            "type": "u64"
          },
          {
            "name": "exact",
            "docs": [
              "Whether exactly `spent` left. False if the delegate has no allowance left: it used it up or revoked itself, which the token",
              "program allows. Then at most `spent` left."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "checkPaymentArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "amount",
            "docs": [
              "Micro-USDC of the payment."
            ],
            "type": "u64"
          },
          {
            "name": "category",
            "docs": [
              "Category of the payment, zero-padded; the session's category if None."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          }
        ]
      }
    },
    {
      "name": "closedAccount",
      "docs": [
        "Replaces the closed `AgentAccount` at its address, so that no account is created there again. The creator and the id, which the seeds",
        "of the address need, are not kept: who sweeps names them."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "controller",
            "docs": [
              "The operator or the fleet at the time of closing, whose operator may sweep."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "createAccountArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "id",
            "docs": [
              "Id that the creator chose; part of the address."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "operator",
            "docs": [
              "The key that sets the policy."
            ],
            "type": "pubkey"
          },
          {
            "name": "authority",
            "docs": [
              "The key that spends inside the policy."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "createFleetArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "id",
            "docs": [
              "Id that the creator chose; part of the address."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "guardian",
            "docs": [
              "The key that may pause the fleet and add accounts of the same operator."
            ],
            "type": {
              "option": "pubkey"
            }
          },
          {
            "name": "maxDailySpend",
            "docs": [
              "Maximum of all members together in any 24 hours, micro-USDC."
            ],
            "type": {
              "option": "u64"
            }
          },
          {
            "name": "maxMonthlySpend",
            "docs": [
              "Maximum of all members together in any 30 days, micro-USDC."
            ],
            "type": {
              "option": "u64"
            }
          },
          {
            "name": "maxLifetimeSpend",
            "docs": [
              "Maximum of all members together since the fleet was created, micro-USDC."
            ],
            "type": {
              "option": "u64"
            }
          }
        ]
      }
    },
    {
      "name": "createPolicyDraftArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "targetVersion",
            "docs": [
              "Version of the policy that will hold these lists."
            ],
            "type": "u64"
          },
          {
            "name": "contentHash",
            "docs": [
              "SHA-256 of the number of counterparties (u16 LE) and all entries: counterparties, then categories."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "counterpartyCount",
            "docs": [
              "Number of counterparties, at most 128, of a fleet 1,024."
            ],
            "type": "u16"
          },
          {
            "name": "categoryCount",
            "docs": [
              "Number of categories, at most 32."
            ],
            "type": "u16"
          }
        ]
      }
    },
    {
      "name": "fleet",
      "docs": [
        "PDA `[\"fleet\", creator, id]`. Each spending of a member writes it."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "version",
            "docs": [
              "Layout version, `LAYOUT_VERSION`."
            ],
            "type": "u8"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          },
          {
            "name": "padding",
            "docs": [
              "Alignment."
            ],
            "type": {
              "array": [
                "u8",
                2
              ]
            }
          },
          {
            "name": "members",
            "docs": [
              "Number of member accounts."
            ],
            "type": "u32"
          },
          {
            "name": "id",
            "docs": [
              "Id that the creator chose; part of the address."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "creator",
            "docs": [
              "The key that paid the rent and gets it back; part of the address. Never changes."
            ],
            "type": "pubkey"
          },
          {
            "name": "operator",
            "docs": [
              "The operator of the fleet and of all its members."
            ],
            "type": "pubkey"
          },
          {
            "name": "guardian",
            "docs": [
              "The key that may pause the fleet and add accounts of the same operator; the default key for none."
            ],
            "type": "pubkey"
          },
          {
            "name": "limitsVersion",
            "docs": [
              "Number of the version of the limits; 1 at creation, one more with every change."
            ],
            "type": "u64"
          },
          {
            "name": "updatedAt",
            "docs": [
              "Time of the last change of the limits, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "maxDailySpend",
            "docs": [
              "Maximum of all members together in any 24 hours, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxMonthlySpend",
            "docs": [
              "Maximum of all members together in any 30 days, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxLifetimeSpend",
            "docs": [
              "Maximum of all members together since the fleet was created, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "tally",
            "docs": [
              "What left of the members as members, and what they reserve."
            ],
            "type": {
              "defined": {
                "name": "tally"
              }
            }
          }
        ]
      }
    },
    {
      "name": "fleetClosed",
      "docs": [
        "A fleet was closed permanently."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "fleetCreated",
      "docs": [
        "A fleet was created."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "operator",
            "docs": [
              "Its operator."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "fleetJoined",
      "docs": [
        "An account joined a fleet."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "account",
            "docs": [
              "The account."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "fleetLeft",
      "docs": [
        "An account left its fleet."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "account",
            "docs": [
              "The account."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "fleetLimitsChanged",
      "docs": [
        "The limits of a fleet were changed."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "version",
            "docs": [
              "The new version."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "fleetOperatorChanged",
      "docs": [
        "The operator of a fleet and of all its members was replaced."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "fleet",
            "docs": [
              "The fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "operator",
            "docs": [
              "The new operator."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "fundChannelArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "seq",
            "docs": [
              "The nonce that the funding uses up; part of the purse's address."
            ],
            "type": "u64"
          },
          {
            "name": "purseId",
            "docs": [
              "The service's id of the purse."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC, above zero."
            ],
            "type": "u64"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          },
          {
            "name": "expiresInSeconds",
            "docs": [
              "Seconds from now, by the chain's clock, after which anyone may sweep and finish the purse."
            ],
            "type": "u32"
          },
          {
            "name": "purseBump",
            "docs": [
              "Bump of the purse's address."
            ],
            "type": "u8"
          },
          {
            "name": "keyBump",
            "docs": [
              "Bump of the address of the key's token account."
            ],
            "type": "u8"
          }
        ]
      }
    },
    {
      "name": "listChange",
      "docs": [
        "Change of a list."
      ],
      "type": {
        "kind": "enum",
        "variants": [
          {
            "name": "keep"
          },
          {
            "name": "clear"
          },
          {
            "name": "set",
            "fields": [
              {
                "name": "entries",
                "type": {
                  "vec": {
                    "array": [
                      "u8",
                      32
                    ]
                  }
                }
              }
            ]
          },
          {
            "name": "staged"
          }
        ]
      }
    },
    {
      "name": "monthWindow",
      "docs": [
        "What left in the last 30 days: 31 buckets of a day. An amount is released between 30 and 31 days after it left."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "buckets",
            "docs": [
              "Micro-USDC per bucket; bucket `n` (unix seconds / 86,400) is at index `n % 31`."
            ],
            "type": {
              "array": [
                "u64",
                31
              ]
            }
          },
          {
            "name": "newest",
            "docs": [
              "Number of the newest bucket. It never decreases."
            ],
            "type": "u64"
          },
          {
            "name": "spent",
            "docs": [
              "Sum of all buckets in micro-USDC."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "openSessionArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "seq",
            "docs": [
              "The nonce that the opening uses up; part of the session's address."
            ],
            "type": "u64"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "providerHash",
            "docs": [
              "SHA-256 of the provider's origin."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "cap",
            "docs": [
              "Micro-USDC, above zero."
            ],
            "type": "u64"
          },
          {
            "name": "voucherKey",
            "docs": [
              "The key that signs vouchers; none of the account's keys."
            ],
            "type": "pubkey"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          },
          {
            "name": "expiresInSeconds",
            "docs": [
              "Seconds from now by the chain's clock. An absolute time by the caller's clock could be out of bounds on chain."
            ],
            "type": "u32"
          },
          {
            "name": "graceSeconds",
            "docs": [
              "Grace period in seconds; 0 for none."
            ],
            "type": "u32"
          },
          {
            "name": "sessionBump",
            "docs": [
              "Bump of the session's address. The client searches it: each step costs 1,500 compute units on chain."
            ],
            "type": "u8"
          },
          {
            "name": "escrowBump",
            "docs": [
              "Bump of the escrow's address."
            ],
            "type": "u8"
          },
          {
            "name": "payeeBump",
            "docs": [
              "Bump of the address of the payee's token account."
            ],
            "type": "u8"
          }
        ]
      }
    },
    {
      "name": "operatorChanged",
      "docs": [
        "An account's operator was replaced."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The account."
            ],
            "type": "pubkey"
          },
          {
            "name": "operator",
            "docs": [
              "The new operator."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "policy",
      "docs": [
        "PDA `[\"policy\", owner]`. The counterparties, in ascending order of their words, and then the categories follow the header, 32 bytes",
        "each. There may be room behind them: what `grow_policy` made before the change that needs it."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "layoutVersion",
            "docs": [
              "Layout version, `LAYOUT_VERSION`."
            ],
            "type": "u8"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          },
          {
            "name": "paused",
            "docs": [
              "1 if all spending is stopped."
            ],
            "type": "u8"
          },
          {
            "name": "requireMemo",
            "docs": [
              "1 if a transfer needs a memo."
            ],
            "type": "u8"
          },
          {
            "name": "counterpartyCount",
            "docs": [
              "Number of allowed counterparties, at most 128, of a fleet 1,024; `u16::MAX` if every one may be paid."
            ],
            "type": "u16"
          },
          {
            "name": "categoryCount",
            "docs": [
              "Number of categories, at most 32; `u16::MAX` if every one may be used."
            ],
            "type": "u16"
          },
          {
            "name": "owner",
            "docs": [
              "The `AgentAccount` or the `Fleet` it applies to."
            ],
            "type": "pubkey"
          },
          {
            "name": "version",
            "docs": [
              "Number of the version; 1 at creation, one more with every change."
            ],
            "type": "u64"
          },
          {
            "name": "updatedAt",
            "docs": [
              "Time of the last change, unix seconds by the chain's clock."
            ],
            "type": "i64"
          },
          {
            "name": "maxSingleTransfer",
            "docs": [
              "Maximum of one transfer or charge, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxDailySpend",
            "docs": [
              "Maximum in any 24 hours, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxMonthlySpend",
            "docs": [
              "Maximum in any 30 days, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxLifetimeSpend",
            "docs": [
              "Maximum since the account was created, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "maxSessionCap",
            "docs": [
              "Maximum of one session's cap or one purse, micro-USDC; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "escalationThreshold",
            "docs": [
              "Amount from which on the operator must sign, micro-USDC; `u64::MAX` for never."
            ],
            "type": "u64"
          },
          {
            "name": "approvalAboveDailySum",
            "docs": [
              "What may leave in 24 hours, with what is reserved, before the operator must sign, micro-USDC; `u64::MAX` for any amount."
            ],
            "type": "u64"
          },
          {
            "name": "validUntil",
            "docs": [
              "Time from which on nothing is spent, unix seconds; `u64::MAX` for never."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "policyChanged",
      "docs": [
        "A policy was changed."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "owner",
            "docs": [
              "The account or fleet it applies to."
            ],
            "type": "pubkey"
          },
          {
            "name": "version",
            "docs": [
              "The new version."
            ],
            "type": "u64"
          },
          {
            "name": "paused",
            "docs": [
              "Whether all spending is stopped."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "policyDraft",
      "docs": [
        "PDA `[\"draft\", owner, target_version, content_hash]`, so that concurrent changes never share a draft. The counterparties and",
        "then the categories follow the header, 32 bytes each. A draft of more than 10,240 bytes grows as it is written."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "owner",
            "docs": [
              "The `AgentAccount` or `Fleet` whose policy it is for."
            ],
            "type": "pubkey"
          },
          {
            "name": "rentPayer",
            "docs": [
              "The key that paid the rent and gets it back."
            ],
            "type": "pubkey"
          },
          {
            "name": "targetVersion",
            "docs": [
              "Version of the policy that will hold these lists."
            ],
            "type": "u64"
          },
          {
            "name": "contentHash",
            "docs": [
              "SHA-256 of the number of counterparties (u16 LE) and all entries in order."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "createdAt",
            "docs": [
              "Time of creation, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "counterpartyCount",
            "docs": [
              "Number of counterparties."
            ],
            "type": "u16"
          },
          {
            "name": "categoryCount",
            "docs": [
              "Number of categories."
            ],
            "type": "u16"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          }
        ]
      }
    },
    {
      "name": "policyEnded",
      "docs": [
        "The policy of a member ended."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The account that has no policy of its own from now on."
            ],
            "type": "pubkey"
          }
        ]
      }
    },
    {
      "name": "policyViolated",
      "docs": [
        "A policy violation, logged before the error is returned, so that a simulation reports the numbers."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "code",
            "docs": [
              "Code of the rule, as in `PolicyError`."
            ],
            "type": "u32"
          },
          {
            "name": "scope",
            "docs": [
              "Whose rule it is: 0 the account's, 1 its fleet's policy, 2 its fleet's limits."
            ],
            "type": "u8"
          },
          {
            "name": "limit",
            "docs": [
              "Micro-USDC that the rule compares with; `u64::MAX` if not applicable."
            ],
            "type": "u64"
          },
          {
            "name": "attempted",
            "docs": [
              "Micro-USDC requested."
            ],
            "type": "u64"
          },
          {
            "name": "remaining",
            "docs": [
              "Micro-USDC that would still be allowed; `u64::MAX` if not applicable."
            ],
            "type": "u64"
          },
          {
            "name": "reserved",
            "docs": [
              "Micro-USDC reserved by open sessions and the open charge."
            ],
            "type": "u64"
          },
          {
            "name": "availableAt",
            "docs": [
              "Unix seconds when the same amount fits; 0 if never or unknown."
            ],
            "type": "i64"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that was violated."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "replayWindow",
      "docs": [
        "One bit for each of the 1,024 nonces up to the highest used one. Nonces start at 1."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "highest",
            "docs": [
              "Highest used nonce; 0 before the first."
            ],
            "type": "u64"
          },
          {
            "name": "bits",
            "docs": [
              "Bit `n % 1024` is set if `n` is used, for the 1,024 nonces up to `highest`."
            ],
            "type": {
              "array": [
                "u64",
                16
              ]
            }
          }
        ]
      }
    },
    {
      "name": "session",
      "docs": [
        "PDA `[\"session\", account, seq]`; owns the escrow, a token account at the PDA `[\"escrow\", session]`. A nonce is used once, ever, so",
        "no address is used twice and no voucher is valid for a later session."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "version",
            "docs": [
              "Layout version, `LAYOUT_VERSION`."
            ],
            "type": "u8"
          },
          {
            "name": "bump",
            "docs": [
              "Bump of its address."
            ],
            "type": "u8"
          },
          {
            "name": "status",
            "docs": [
              "A `SessionStatus`."
            ],
            "type": "u8"
          },
          {
            "name": "padding",
            "docs": [
              "Alignment."
            ],
            "type": "u8"
          },
          {
            "name": "graceSeconds",
            "docs": [
              "Grace period: seconds in which the payee can settle after `closing_at` or `expires_at`. Never changes."
            ],
            "type": "u32"
          },
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "id",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "providerHash",
            "docs": [
              "SHA-256 of the provider's origin."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "payee",
            "docs": [
              "Owner of the token account that is paid."
            ],
            "type": "pubkey"
          },
          {
            "name": "payeeTokenAccount",
            "docs": [
              "The payee's associated token account, the only one that is paid."
            ],
            "type": "pubkey"
          },
          {
            "name": "voucherKey",
            "docs": [
              "The key that signs vouchers."
            ],
            "type": "pubkey"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "escrow",
            "docs": [
              "The token account that holds what can still be paid out."
            ],
            "type": "pubkey"
          },
          {
            "name": "rentPayer",
            "docs": [
              "The key that paid the rent of session and escrow and gets it back."
            ],
            "type": "pubkey"
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that opening it used up; part of the address."
            ],
            "type": "u64"
          },
          {
            "name": "cap",
            "docs": [
              "Micro-USDC moved into escrow, top-ups included."
            ],
            "type": "u64"
          },
          {
            "name": "settled",
            "docs": [
              "Micro-USDC paid to the payee."
            ],
            "type": "u64"
          },
          {
            "name": "proven",
            "docs": [
              "Micro-USDC of the highest voucher proven on chain; above `settled` only while the payee cannot receive."
            ],
            "type": "u64"
          },
          {
            "name": "openedAt",
            "docs": [
              "Time of opening, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "expiresAt",
            "docs": [
              "Time of expiry, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "closingAt",
            "docs": [
              "Start of the grace period by `close_session`, unix seconds; 0 before."
            ],
            "type": "i64"
          },
          {
            "name": "approvedCap",
            "docs": [
              "Micro-USDC of the highest cap that the operator approved by co-signing the opening or a top-up; 0 if it never did."
            ],
            "type": "u64"
          },
          {
            "name": "owedAt",
            "docs": [
              "Time when it closed owing its payee, unix seconds; 0 before."
            ],
            "type": "i64"
          },
          {
            "name": "unused",
            "docs": [
              "Room for later fields; zero until then."
            ],
            "type": {
              "array": [
                "u8",
                48
              ]
            }
          }
        ]
      }
    },
    {
      "name": "sessionClosed",
      "docs": [
        "A session was closed: `settled + returned` is its cap."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC paid to the payee now."
            ],
            "type": "u64"
          },
          {
            "name": "settled",
            "docs": [
              "Micro-USDC that belong to the payee, `owed` included."
            ],
            "type": "u64"
          },
          {
            "name": "returned",
            "docs": [
              "Micro-USDC of the cap that belong to the account again."
            ],
            "type": "u64"
          },
          {
            "name": "owed",
            "docs": [
              "Micro-USDC of `settled` that the payee cannot receive yet; they stay in escrow."
            ],
            "type": "u64"
          },
          {
            "name": "refunded",
            "docs": [
              "Micro-USDC of `returned` that moved to the account's token account now; 0 if they moved when the session became owed."
            ],
            "type": "u64"
          },
          {
            "name": "dust",
            "docs": [
              "Micro-USDC that others had sent to the escrow; they moved to the account's token account too."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "sessionClosing",
      "docs": [
        "A session's grace period started: until `ends_at` higher vouchers can be settled."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC paid to the payee now."
            ],
            "type": "u64"
          },
          {
            "name": "settled",
            "docs": [
              "Micro-USDC paid so far."
            ],
            "type": "u64"
          },
          {
            "name": "proven",
            "docs": [
              "Micro-USDC of the highest voucher proven so far."
            ],
            "type": "u64"
          },
          {
            "name": "endsAt",
            "docs": [
              "End of the grace period in unix seconds, from which on anyone may close the session."
            ],
            "type": "i64"
          }
        ]
      }
    },
    {
      "name": "sessionOpened",
      "docs": [
        "A session was opened: its cap moved into escrow."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that it used up."
            ],
            "type": "u64"
          },
          {
            "name": "cap",
            "docs": [
              "Micro-USDC that moved into escrow."
            ],
            "type": "u64"
          },
          {
            "name": "payee",
            "docs": [
              "Owner of the token account that is paid."
            ],
            "type": "pubkey"
          },
          {
            "name": "payeeTokenAccount",
            "docs": [
              "The token account that is paid."
            ],
            "type": "pubkey"
          },
          {
            "name": "voucherKey",
            "docs": [
              "The key that signs vouchers."
            ],
            "type": "pubkey"
          },
          {
            "name": "providerHash",
            "docs": [
              "SHA-256 of the provider's origin."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "openedAt",
            "docs": [
              "Time of opening, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "expiresAt",
            "docs": [
              "Time of expiry, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "graceSeconds",
            "docs": [
              "Grace period in seconds."
            ],
            "type": "u32"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that allowed it."
            ],
            "type": "u64"
          },
          {
            "name": "approved",
            "docs": [
              "Whether the operator signed as well."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "sessionSettled",
      "docs": [
        "A session was settled: the proven amount was paid if the payee could receive."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC paid now; 0 if nothing was newly proven or the payee cannot receive."
            ],
            "type": "u64"
          },
          {
            "name": "settled",
            "docs": [
              "Micro-USDC paid so far."
            ],
            "type": "u64"
          },
          {
            "name": "proven",
            "docs": [
              "Micro-USDC of the highest voucher proven so far."
            ],
            "type": "u64"
          },
          {
            "name": "cap",
            "docs": [
              "The session's cap in micro-USDC."
            ],
            "type": "u64"
          },
          {
            "name": "status",
            "docs": [
              "The session's `SessionStatus`."
            ],
            "type": "u8"
          }
        ]
      }
    },
    {
      "name": "sessionToppedUp",
      "docs": [
        "A session's cap was raised."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "topUpId",
            "docs": [
              "The service's id of the top-up."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that it used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC added."
            ],
            "type": "u64"
          },
          {
            "name": "cap",
            "docs": [
              "The new cap in micro-USDC."
            ],
            "type": "u64"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that allowed it."
            ],
            "type": "u64"
          },
          {
            "name": "approved",
            "docs": [
              "Whether the operator signed as well."
            ],
            "type": "bool"
          }
        ]
      }
    },
    {
      "name": "sessionWrittenOff",
      "docs": [
        "The operator wrote off what a session owed to a payee that could not receive it for 90 days."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "session",
            "docs": [
              "The session's address."
            ],
            "type": "pubkey"
          },
          {
            "name": "sessionId",
            "docs": [
              "The service's id of the session."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC that were owed and moved to the account's token account."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "setFleetLimitsArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "expectedVersion",
            "docs": [
              "The version that the caller read."
            ],
            "type": "u64"
          },
          {
            "name": "maxDailySpend",
            "docs": [
              "Maximum of all members together in any 24 hours, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxMonthlySpend",
            "docs": [
              "Maximum of all members together in any 30 days, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxLifetimeSpend",
            "docs": [
              "Maximum of all members together since the fleet was created, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          }
        ]
      }
    },
    {
      "name": "setPolicyArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "expectedVersion",
            "docs": [
              "The version that the caller read. May be None only if nothing but `paused: true` is set."
            ],
            "type": {
              "option": "u64"
            }
          },
          {
            "name": "maxSingleTransfer",
            "docs": [
              "Maximum of one transfer or charge, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxDailySpend",
            "docs": [
              "Maximum in any 24 hours, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxMonthlySpend",
            "docs": [
              "Maximum in any 30 days, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxLifetimeSpend",
            "docs": [
              "Maximum since the account was created, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "maxSessionCap",
            "docs": [
              "Maximum of one session's cap or one purse, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "escalationThreshold",
            "docs": [
              "Amount from which on the operator must sign, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "approvalAboveDailySum",
            "docs": [
              "What may leave in 24 hours, with what is reserved, before the operator must sign, micro-USDC."
            ],
            "type": {
              "defined": {
                "name": "amountChange"
              }
            }
          },
          {
            "name": "validUntil",
            "docs": [
              "Time from which on nothing is spent."
            ],
            "type": {
              "defined": {
                "name": "timeChange"
              }
            }
          },
          {
            "name": "allowedCounterparties",
            "docs": [
              "Token accounts, or their owners, that may be paid."
            ],
            "type": {
              "defined": {
                "name": "listChange"
              }
            }
          },
          {
            "name": "categories",
            "docs": [
              "Categories that may be used."
            ],
            "type": {
              "defined": {
                "name": "listChange"
              }
            }
          },
          {
            "name": "requireMemo",
            "docs": [
              "Whether a transfer needs a memo."
            ],
            "type": {
              "option": "bool"
            }
          },
          {
            "name": "paused",
            "docs": [
              "Whether all spending is stopped."
            ],
            "type": {
              "option": "bool"
            }
          }
        ]
      }
    },
    {
      "name": "spendWindow",
      "docs": [
        "What left in the last 24 hours: 97 buckets of 15 minutes. In any 24 hours at most the limit leaves; an amount is released between",
        "24 hours and 24 hours and 15 minutes after it left."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "buckets",
            "docs": [
              "Micro-USDC per bucket; bucket `n` (unix seconds / 900) is at index `n % 97`."
            ],
            "type": {
              "array": [
                "u64",
                97
              ]
            }
          },
          {
            "name": "newest",
            "docs": [
              "Number of the newest bucket. It never decreases, so a clock that steps back releases nothing."
            ],
            "type": "u64"
          },
          {
            "name": "spent",
            "docs": [
              "Sum of all buckets in micro-USDC."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "spendingReport",
      "docs": [
        "What was spent and what the limits are, in micro-USDC, by the chain's clock."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "now",
            "docs": [
              "The chain's time, unix seconds."
            ],
            "type": "i64"
          },
          {
            "name": "balance",
            "docs": [
              "Balance of the token account; 0 for a fleet."
            ],
            "type": "u64"
          },
          {
            "name": "limit",
            "docs": [
              "`max_daily_spend`; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "monthlyLimit",
            "docs": [
              "`max_monthly_spend`; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "lifetimeLimit",
            "docs": [
              "`max_lifetime_spend`; `u64::MAX` for no limit."
            ],
            "type": "u64"
          },
          {
            "name": "spent",
            "docs": [
              "Spent in the last 24 hours."
            ],
            "type": "u64"
          },
          {
            "name": "monthlySpent",
            "docs": [
              "Spent in the last 30 days."
            ],
            "type": "u64"
          },
          {
            "name": "lifetimeSpent",
            "docs": [
              "Ever spent."
            ],
            "type": "u64"
          },
          {
            "name": "reserved",
            "docs": [
              "Reserved by open sessions and charges."
            ],
            "type": "u64"
          },
          {
            "name": "policyVersion",
            "docs": [
              "The version of the policy, 0 without one; of a fleet's limits."
            ],
            "type": "u64"
          },
          {
            "name": "firstBucket",
            "docs": [
              "Number of the first bucket below (unix seconds / 900). Bucket `n` is released at `(n + 97) * 900` unix seconds."
            ],
            "type": "u64"
          },
          {
            "name": "buckets",
            "docs": [
              "Spent per bucket, oldest first."
            ],
            "type": {
              "array": [
                "u64",
                97
              ]
            }
          }
        ]
      }
    },
    {
      "name": "surplusRentReturned",
      "docs": [
        "Lamports above today's minimum went back to the creator."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "owner",
            "docs": [
              "The account or the fleet."
            ],
            "type": "pubkey"
          },
          {
            "name": "lamports",
            "docs": [
              "Lamports, those of its policy among them."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "sweepClosedAccountArgs",
      "docs": [
        "The seeds of the closed account's address, which its tombstone does not keep."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "creator",
            "docs": [
              "Creator of the account."
            ],
            "type": "pubkey"
          },
          {
            "name": "id",
            "docs": [
              "Id that the creator chose."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "bump",
            "docs": [
              "Bump of the address."
            ],
            "type": "u8"
          }
        ]
      }
    },
    {
      "name": "tally",
      "docs": [
        "The windows and sums against which spending is judged. What left in 24 hours is a part of what left in 30 days, so only the sum of a",
        "month and what is reserved can overflow: `check` prevents it. `lifetime` stops at `u64::MAX` instead, so that nobody can end an",
        "account's spending by turning its money over."
      ],
      "serialization": "bytemuck",
      "repr": {
        "kind": "c"
      },
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "reserved",
            "docs": [
              "Micro-USDC that open sessions and charges may still pay out; counts against each limit."
            ],
            "type": "u64"
          },
          {
            "name": "lifetime",
            "docs": [
              "Micro-USDC that ever left, at most `u64::MAX`. Never falls."
            ],
            "type": "u64"
          },
          {
            "name": "window",
            "docs": [
              "Micro-USDC that left in the last 24 hours."
            ],
            "type": {
              "defined": {
                "name": "spendWindow"
              }
            }
          },
          {
            "name": "month",
            "docs": [
              "Micro-USDC that left in the last 30 days."
            ],
            "type": {
              "defined": {
                "name": "monthWindow"
              }
            }
          }
        ]
      }
    },
    {
      "name": "timeChange",
      "docs": [
        "Change of a time."
      ],
      "type": {
        "kind": "enum",
        "variants": [
          {
            "name": "keep"
          },
          {
            "name": "clear"
          },
          {
            "name": "set",
            "fields": [
              {
                "name": "unixSeconds",
                "type": "u64"
              }
            ]
          }
        ]
      }
    },
    {
      "name": "topUpSessionArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "seq",
            "docs": [
              "The nonce that the top-up uses up, other than the one that opened the session."
            ],
            "type": "u64"
          },
          {
            "name": "topUpId",
            "docs": [
              "The service's id of the top-up."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC to add, above zero."
            ],
            "type": "u64"
          }
        ]
      }
    },
    {
      "name": "transferArgs",
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "seq",
            "docs": [
              "The nonce that the transfer uses up."
            ],
            "type": "u64"
          },
          {
            "name": "transferId",
            "docs": [
              "The service's id of the transfer."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC, above zero."
            ],
            "type": "u64"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          },
          {
            "name": "memoHash",
            "docs": [
              "HMAC of the memo, whose text stays off chain."
            ],
            "type": {
              "option": {
                "array": [
                  "u8",
                  32
                ]
              }
            }
          }
        ]
      }
    },
    {
      "name": "transferred",
      "docs": [
        "A transfer was made."
      ],
      "type": {
        "kind": "struct",
        "fields": [
          {
            "name": "account",
            "docs": [
              "The paying `AgentAccount`."
            ],
            "type": "pubkey"
          },
          {
            "name": "transferId",
            "docs": [
              "The service's id of the transfer."
            ],
            "type": {
              "array": [
                "u8",
                16
              ]
            }
          },
          {
            "name": "seq",
            "docs": [
              "The nonce that it used up."
            ],
            "type": "u64"
          },
          {
            "name": "amount",
            "docs": [
              "Micro-USDC."
            ],
            "type": "u64"
          },
          {
            "name": "destination",
            "docs": [
              "The token account that was credited."
            ],
            "type": "pubkey"
          },
          {
            "name": "policyVersion",
            "docs": [
              "Version of the policy that allowed it."
            ],
            "type": "u64"
          },
          {
            "name": "category",
            "docs": [
              "Category, zero-padded; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "memoHash",
            "docs": [
              "HMAC of the memo; all zeros if none was given."
            ],
            "type": {
              "array": [
                "u8",
                32
              ]
            }
          },
          {
            "name": "approved",
            "docs": [
              "Whether the operator signed as well."
            ],
            "type": "bool"
          }
        ]
      }
    }
  ],
  "constants": [
    {
      "name": "accountSeed",
      "docs": [
        "First seed of an `AgentAccount`; then the creator's key and the 16-byte id."
      ],
      "type": "bytes",
      "value": "[97, 99, 99, 111, 117, 110, 116]"
    },
    {
      "name": "bucketSeconds",
      "docs": [
        "Seconds in one bucket of the spend window."
      ],
      "type": "u64",
      "value": "900"
    },
    {
      "name": "channelPurseSeed",
      "docs": [
        "First seed of a `ChannelPurse`; then the account's address and the nonce (u64 LE) that funding it used up."
      ],
      "type": "bytes",
      "value": "[99, 104, 97, 110, 110, 101, 108, 95, 112, 117, 114, 115, 101]"
    },
    {
      "name": "closedAccountDiscriminator",
      "docs": [
        "Discriminator of a closed account's tombstone. No other account has it, so the address cannot be used again."
      ],
      "type": "bytes",
      "value": "[255, 255, 255, 255, 255, 255, 255, 255]"
    },
    {
      "name": "closedFleetDiscriminator",
      "docs": [
        "Discriminator of a closed fleet's tombstone."
      ],
      "type": "bytes",
      "value": "[254, 254, 254, 254, 254, 254, 254, 254]"
    },
    {
      "name": "draftLifetimeSeconds",
      "docs": [
        "Seconds after which anyone may close a draft that was not committed."
      ],
      "type": "i64",
      "value": "3600"
    },
    {
      "name": "draftSeed",
      "docs": [
        "First seed of a `PolicyDraft`; then the address of the account or fleet, the target version (u64 LE) and the `content_hash` of its lists."
      ],
      "type": "bytes",
      "value": "[100, 114, 97, 102, 116]"
    },
    {
      "name": "escrowSeed",
      "docs": [
        "First seed of a session's escrow; then the session's address."
      ],
      "type": "bytes",
      "value": "[101, 115, 99, 114, 111, 119]"
    },
    {
      "name": "fleetSeed",
      "docs": [
        "First seed of a `Fleet`; then the creator's key and the 16-byte id."
      ],
      "type": "bytes",
      "value": "[102, 108, 101, 101, 116]"
    },
    {
      "name": "maxCategories",
      "docs": [
        "Maximum number of categories in a policy."
      ],
      "type": "u16",
      "value": "32"
    },
    {
      "name": "maxChannelSeconds",
      "docs": [
        "Maximum duration of a channel purse in seconds: 8 days. A forced close needs the seller's grace period after the last use."
      ],
      "type": "u32",
      "value": "691200"
    },
    {
      "name": "maxChargeSeconds",
      "docs": [
        "Maximum duration of a charge in seconds: an hour. A blockhash, with which its transfer could land, is valid for about a minute."
      ],
      "type": "u32",
      "value": "3600"
    },
    {
      "name": "maxCounterparties",
      "docs": [
        "Maximum number of counterparties in an account's policy."
      ],
      "type": "u16",
      "value": "128"
    },
    {
      "name": "maxFleetCounterparties",
      "docs": [
        "Maximum number of counterparties in a fleet's policy."
      ],
      "type": "u16",
      "value": "1024"
    },
    {
      "name": "maxGraceSeconds",
      "docs": [
        "Maximum grace period of a session in seconds: a day."
      ],
      "type": "u32",
      "value": "86400"
    },
    {
      "name": "maxOpenSessions",
      "docs": [
        "Maximum number of open sessions of one account."
      ],
      "type": "u32",
      "value": "64"
    },
    {
      "name": "maxSessionSeconds",
      "docs": [
        "Maximum duration of a session in seconds: 30 days."
      ],
      "type": "u32",
      "value": "2592000"
    },
    {
      "name": "minSessionSeconds",
      "docs": [
        "Minimum duration of a session in seconds: a minute."
      ],
      "type": "u32",
      "value": "60"
    },
    {
      "name": "owedClaimSeconds",
      "docs": [
        "Seconds after a session became owed during which the operator cannot write it off: 90 days."
      ],
      "type": "i64",
      "value": "7776000"
    },
    {
      "name": "policySeed",
      "docs": [
        "First seed of a `Policy`; then the address of the account or fleet."
      ],
      "type": "bytes",
      "value": "[112, 111, 108, 105, 99, 121]"
    },
    {
      "name": "replayWindow",
      "docs": [
        "Nonces remembered up to, and accepted above, the highest used one."
      ],
      "type": "u64",
      "value": "1024"
    },
    {
      "name": "sessionSeed",
      "docs": [
        "First seed of a `Session`; then the account's address and the nonce (u64 LE) that opening it used up."
      ],
      "type": "bytes",
      "value": "[115, 101, 115, 115, 105, 111, 110]"
    }
  ]
};
