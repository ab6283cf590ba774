#pragma once
#define ATOMIC __transaction_atomic
