#ifndef COURSEFETCH_CLIBEXPAT_SHIM_H
#define COURSEFETCH_CLIBEXPAT_SHIM_H

#include <expat.h>

#endif
